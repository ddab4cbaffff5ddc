// SPDX-License-Identifier: Zlib
//
// Ogg Opus, through libopus, packet by packet.
#include <opus_multistream.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/limit_text.hpp"
#include "base/little_endian.hpp"
#include "base/vec.hpp"
#include "decoders/library_memory.hpp"
#include "overture/base/limits.hpp"
#include "sounds/codecs/codec.hpp"
#include "sounds/codecs/made.hpp"
#include "sounds/codecs/ogg_codecs.hpp"
#include "sounds/codecs/ogg_packets.hpp"
#include "sounds/codecs/ogg_timing.hpp"
#include "sounds/codecs/tags.hpp"

namespace overture::sounds_detail {
using namespace base_detail;

namespace {

constexpr std::int32_t opus_rate = 48'000;  // whatever rate was encoded
constexpr int opus_packet_frames_max = opus_rate * 120 / 1000;
// RFC 7845 asks for 80 ms, with which the first samples are up to a tenth off; with this, a
// thousandth.
constexpr std::int64_t opus_run_in = opus_rate * 240 / 1000;
constexpr std::uint64_t opus_gap_max = std::uint64_t{opus_rate} * gap_seconds_max;

struct free_opus_decoder {
  void operator()(OpusMSDecoder* decoder) const noexcept {
    opus_multistream_decoder_destroy(decoder);
  }
};

const unsigned char* opus_bytes(std::span<const std::byte> bytes) noexcept {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

std::int64_t opus_frames(std::span<const std::byte> packet) noexcept {
  if (packet.empty()) return 0;
  const int frames = opus_packet_get_nb_samples(
      opus_bytes(packet), static_cast<std::int32_t>(packet.size()), opus_rate);
  return std::max(frames, 0);
}

class opus_song final : public codec_of<opus_song> {
 public:
  explicit opus_song(const codec_request& request) noexcept
      : log_(request.log),
        bytes_max_(request.bytes_max),
        packets_(request.file, request.memory, request.log),
        frames_(request.memory, memory_tag::decode) {}

  result<void> open() noexcept {
    const result<bool> found = packets_.begin("OpusHead");
    if (!found) return tl::unexpected<error>(found.error());
    if (!*found) return fail(errc::corrupt, "not an Opus file");
    sound_packet packet;
    result<bool> more = packets_.next(packet);
    if (!more) return tl::unexpected<error>(more.error());
    if (!*more) return fail(errc::corrupt, "damaged Opus headers");
    if (result<void> begun = begin_decoder(packet.bytes); !begun) return begun;
    more = packets_.next(packet);
    if (!more) return tl::unexpected<error>(more.error());
    constexpr std::size_t magic_bytes = 8;  // "OpusTags"
    if (!*more || packet.after_gap || packet.bytes.size() < magic_bytes) {
      return fail(errc::corrupt, "damaged Opus headers");
    }
    tags_ = tags_of_comments(packet.bytes.subspan(magic_bytes));
    packets_.shrink();
    sound_at_ = packets_.next_at();
    return find_base();
  }

  sound_format format() const noexcept override {
    return {"opus", channels_, static_cast<std::uint32_t>(opus_rate)};
  }
  loop_tags tags() const noexcept override { return tags_; }

  result<std::size_t> decode(const frame_room& room) noexcept override {
    for (;;) {
      const std::size_t wanted = timing_.limited(room.frames);
      if (wanted == 0) {
        if (!std::exchange(knows_end_, true)) packets_.note_end();
        return std::size_t{0};
      }
      if (timing_.is_silent()) {
        return timing_.write_silence({room.to, wanted, room.channels, room.samples});
      }
      const std::size_t left_out = timing_.leave_out(there_);
      first_ += left_out;
      there_ -= left_out;
      if (there_ != 0) {
        const std::size_t count = std::min(there_, wanted);
        write_interleaved(room, frames_.data() + first_ * channels_, count);
        first_ += count;
        there_ -= count;
        timing_.hand_out(count);
        return count;
      }
      sound_packet packet;
      const result<bool> more = packets_.next(packet);
      if (!more) return tl::unexpected<error>(more.error());
      if (*more) {
        feed(packet);
      } else if (log_.status().damages == 0 || !timing_.fill_up(opus_gap_max)) {
        return std::size_t{0};
      }
    }
  }

  result<void> seek(std::uint64_t frame) noexcept override {
    there_ = 0;
    if (timing_.end() != 0 && frame >= timing_.end()) {
      timing_.begin(timing_.end(), static_cast<std::int64_t>(timing_.end()));
      knows_end_ = true;
      return {};
    }
    const std::int64_t granule = static_cast<std::int64_t>(frame) + before_ - opus_run_in;
    const std::optional<ogg_page_place> known = known_.find(granule);
    const result<ogg_page_place> place = known ? *known : packets_.find(granule, sound_at_);
    if (!place) return tl::unexpected<error>(place.error());
    if (place->granule != no_granule) {
      const result<bool> ready = enter(frame, *place);
      if (!ready) return tl::unexpected<error>(ready.error());
      if (*ready) {
        known_.note(granule, *place);
        return {};
      }
    }
    restart(sound_at_);
    is_settled_ = true;
    timing_.begin(frame, -pre_skip_);
    return {};
  }

  bool length_is_at_end() const noexcept override { return true; }
  result<std::uint64_t> length() noexcept override {
    const result<std::int64_t> last = packets_.last_granule(sound_at_);
    if (!last) return tl::unexpected<error>(last.error());
    timing_.set_end(*last - before_);
    return timing_.end();
  }

 private:
  // RFC 7845, 5.1.
  result<void> begin_decoder(std::span<const std::byte> header) noexcept {
    constexpr std::size_t table_at = 21;
    if (header.size() < 19) return fail(errc::corrupt, "damaged Opus headers");
    const std::uint32_t family = load_u8(&header[18]);
    if (load_u8(&header[8]) >> 4 != 0 || family > 1) {
      return fail(errc::unsupported, "unsupported Opus variant");
    }
    channels_ = load_u8(&header[9]);
    pre_skip_ = static_cast<std::int64_t>(load_u16(&header[10]));
    if (channels_ > limits::sound_channels_max) {
      return fail(errc::limit, limit_text::sound_channels);
    }
    unsigned char mapping[limits::sound_channels_max] = {0, 1};
    int streams = 1;
    int coupled = static_cast<int>(channels_) - 1;
    if (family == 1) {
      if (header.size() < table_at + channels_) return fail(errc::corrupt, "damaged Opus headers");
      streams = static_cast<int>(load_u8(&header[19]));
      coupled = static_cast<int>(load_u8(&header[20]));
      std::copy_n(opus_bytes(header) + table_at, channels_, mapping);
    }
    const bool is_possible = channels_ >= 1 && streams >= 1 && coupled >= 0 && coupled <= streams &&
                             streams + coupled <= 255 && (family == 1 || channels_ <= 2);
    if (!is_possible) return fail(errc::corrupt, "damaged Opus headers");
    const auto library =
        static_cast<std::uint64_t>(opus_multistream_decoder_get_size(streams, coupled));
    if (library > bytes_max_) return fail(errc::limit, codec_over_memory);
    const decoders_detail::library_memory room(library);
    if (!room || !frames_.resize_for_overwrite(channels_ * std::size_t{opus_packet_frames_max})) {
      return fail(errc::out_of_memory, codec_out_of_memory);
    }
    int code = 0;
    decoder_.reset(opus_multistream_decoder_create(opus_rate, static_cast<int>(channels_), streams,
                                                   coupled, mapping, &code));
    if (code == OPUS_ALLOC_FAIL) return fail(errc::out_of_memory, codec_out_of_memory);
    if (!decoder_) return fail(errc::corrupt, "damaged Opus headers");
    (void)opus_multistream_decoder_ctl(decoder_.get(), OPUS_SET_GAIN(load_i16(&header[16])));
    return {};
  }

  // A song that was cut out of a longer one begins later.
  result<void> find_base() noexcept {
    before_ = pre_skip_;
    sound_packet packet;
    const result<bool> more = packets_.next(packet);
    if (!more) return tl::unexpected<error>(more.error());
    if (*more) before_ += std::max<std::int64_t>(first_granule(packet), 0);
    restart(sound_at_);
    is_settled_ = true;
    timing_.begin(0, -pre_skip_);
    return {};
  }

  // Of the first frame of the packet.
  std::int64_t first_granule(const sound_packet& packet) const noexcept {
    std::int64_t frames = opus_frames(packet.bytes);
    packets_.for_rest_of_page(
        [&](std::span<const std::byte> bytes) { frames += opus_frames(bytes); });
    return packets_.granule_of_page() - frames;
  }

  void restart(std::uint64_t at) noexcept {
    packets_.go_to(at);
    (void)opus_multistream_decoder_ctl(decoder_.get(), OPUS_RESET_STATE);
    there_ = 0;
    is_settled_ = false;
    knows_end_ = false;
  }

  // Begins after that page. False if the frame is before what comes there.
  result<bool> enter(std::uint64_t frame, const ogg_page_place& place) noexcept {
    restart(place.end);
    sound_packet packet;
    const result<bool> more = packets_.next(packet);
    if (!more || !*more) return more;
    std::int64_t first = first_granule(packet);
    // The last page ends before its last packet does.
    if (packets_.page_ends_stream()) first = std::max(first, place.granule);
    first -= before_;
    if (first > static_cast<std::int64_t>(frame)) return false;
    timing_.begin(frame, first);
    decode_packet(packet);
    return true;
  }

  void feed(const sound_packet& packet) noexcept {
    const bool is_expected = std::exchange(is_settled_, false);
    if (packet.after_gap && !is_expected) {
      std::int64_t first = first_granule(packet) - before_;
      const auto position = static_cast<std::int64_t>(timing_.position());
      if (packets_.page_ends_stream()) first = std::max(first, position);
      if (timing_.go_on(first, opus_gap_max)) {
        log_.note(errc::corrupt, "Opus sound with missing data", packets_.page_at());
      }
    }
    decode_packet(packet);
  }

  void decode_packet(const sound_packet& packet) noexcept {
    if (packet.ends_stream) timing_.set_end(packet.granule - before_);
    first_ = 0;
    const int frames = opus_multistream_decode_float(decoder_.get(), opus_bytes(packet.bytes),
                                                     static_cast<std::int32_t>(packet.bytes.size()),
                                                     frames_.data(), opus_packet_frames_max, 0);
    if (frames >= 0 && !packet.bytes.empty()) {
      there_ = static_cast<std::size_t>(frames);
      return;
    }
    log_.note(errc::corrupt, "damaged Opus sound", packets_.page_at());
    there_ = static_cast<std::size_t>(
        std::min<std::int64_t>(opus_frames(packet.bytes), opus_packet_frames_max));
    std::fill_n(frames_.data(), there_ * channels_, 0.0f);
  }

  damage_log& log_;
  std::uint64_t bytes_max_;
  ogg_packets packets_;
  ogg_timing timing_;
  known_places known_;
  loop_tags tags_;
  std::unique_ptr<OpusMSDecoder, free_opus_decoder> decoder_;
  vec<float> frames_;  // of the packet that was decoded last
  std::size_t first_ = 0;
  std::size_t there_ = 0;
  std::uint32_t channels_ = 0;
  std::int64_t pre_skip_ = 0;
  std::int64_t before_ = 0;     // the granule of the first frame
  std::uint64_t sound_at_ = 0;  // the first page after the headers
  bool is_settled_ = false;     // a jump in the pages is expected, and the timing knows of it
  bool knows_end_ = false;      // what follows the song was looked at
};

}  // namespace

result<sound_codec*> open_opus(const codec_request& request) noexcept {
  return make_codec<opus_song>(request);
}

// By the packet that the first page begins with; what goes together with it may come first.
result<sound_codec*> open_ogg(const codec_request& request) noexcept {
  result<sound_codec*> vorbis = open_vorbis(request);
  const bool is_other = !vorbis && vorbis.error().code == errc::corrupt;
  if (!is_other) return vorbis;
  result<sound_codec*> opus = open_opus(request);
  return opus || opus.error().code != errc::corrupt ? std::move(opus) : std::move(vorbis);
}

}  // namespace overture::sounds_detail
