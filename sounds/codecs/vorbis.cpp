// SPDX-License-Identifier: Zlib
//
// Ogg Vorbis, through libvorbis, packet by packet. libvorbisfile could not be told how much memory
// it may take, and seeking in damaged files by it leaks.
#include <vorbis/codec.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/limit_text.hpp"
#include "base/vec.hpp"
#include "decoders/library_memory.hpp"
#include "decoders/vorbis_headers.hpp"
#include "overture/base/limits.hpp"
#include "sounds/codecs/codec.hpp"
#include "sounds/codecs/made.hpp"
#include "sounds/codecs/ogg_codecs.hpp"
#include "sounds/codecs/ogg_packets.hpp"
#include "sounds/codecs/ogg_timing.hpp"
#include "sounds/codecs/tags.hpp"

namespace overture::sounds_detail {

namespace {

// libvorbis gets no comments: they may have pictures of a megabyte.
constexpr unsigned char no_comments[] = {3, 'v', 'o', 'r', 'b', 'i', 's', 0,
                                         0, 0,   0,   0,   0,   0,   0,   1};

ogg_packet ogg_packet_of(std::span<const std::byte> bytes) noexcept {
  ogg_packet packet = {};
  // libvorbis reads only.
  auto* const content = const_cast<std::byte*>(bytes.data());
  packet.packet = reinterpret_cast<unsigned char*>(content);
  packet.bytes = static_cast<long>(bytes.size());
  packet.granulepos = no_granule;
  return packet;
}

// The headers as the pages of a file, to be measured.
class header_pages {
 public:
  explicit header_pages(allocator& memory) noexcept : pages_(memory, memory_tag::decode) {
    (void)ogg_stream_init(&stream_, 1);
  }
  ~header_pages() { (void)ogg_stream_clear(&stream_); }
  header_pages(const header_pages&) = delete;
  header_pages& operator=(const header_pages&) = delete;

  [[nodiscard]] bool add(ogg_packet packet) noexcept {
    packet.granulepos = 0;
    if (ogg_stream_packetin(&stream_, &packet) != 0) return false;
    for (ogg_page page; ogg_stream_flush(&stream_, &page) != 0;) {
      if (!pages_.append(page.header, static_cast<std::size_t>(page.header_len)) ||
          !pages_.append(page.body, static_cast<std::size_t>(page.body_len))) {
        return false;
      }
    }
    return true;
  }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return pages_.span(); }

 private:
  ogg_stream_state stream_ = {};
  base_detail::vec<std::byte> pages_;
};

class vorbis_song final : public codec_of<vorbis_song> {
 public:
  explicit vorbis_song(const codec_request& request) noexcept
      : memory_(request.memory),
        log_(request.log),
        bytes_max_(request.bytes_max),
        packets_(request.file, request.memory, request.log) {
    vorbis_info_init(&info_);
    vorbis_comment_init(&comment_);
  }
  ~vorbis_song() override {
    if (decodes_) {
      vorbis_block_clear(&block_);
      vorbis_dsp_clear(&dsp_);
    }
    vorbis_comment_clear(&comment_);
    vorbis_info_clear(&info_);
  }
  vorbis_song(const vorbis_song&) = delete;
  vorbis_song& operator=(const vorbis_song&) = delete;

  result<void> open() noexcept {
    const result<bool> found = packets_.begin("\x01vorbis");
    if (!found) return tl::unexpected<error>(found.error());
    if (!*found) return fail(errc::corrupt, "not a Vorbis file");
    return read_headers().and_then([this] { return begin_sound(); });
  }

  sound_format format() const noexcept override {
    return {"vorbis", static_cast<std::uint32_t>(info_.channels),
            static_cast<std::uint32_t>(info_.rate)};
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
      float** planes = nullptr;
      const int given = vorbis_synthesis_pcmout(&dsp_, &planes);
      if (given > 0) {
        const auto there = static_cast<std::size_t>(given);
        const std::size_t left_out = timing_.leave_out(there);
        const std::size_t count = std::min(there - left_out, wanted);
        write_planes(room, planes, left_out, count);
        (void)vorbis_synthesis_read(&dsp_, static_cast<int>(left_out + count));
        timing_.hand_out(count);
        if (count != 0) return count;
        continue;
      }
      sound_packet packet;
      const result<bool> more = packets_.next(packet);
      if (!more) return tl::unexpected<error>(more.error());
      if (*more) {
        feed(packet);
      } else if (log_.status().damages == 0 || !timing_.fill_up(gap_max())) {
        return std::size_t{0};
      }
    }
  }

  result<void> seek(std::uint64_t frame) noexcept override {
    if (timing_.end() != 0 && frame >= timing_.end()) {
      timing_.begin(timing_.end(), static_cast<std::int64_t>(timing_.end()));
      knows_end_ = true;
      return {};
    }
    const auto granule = static_cast<std::int64_t>(frame + base_);
    const std::optional<ogg_page_place> known = known_.find(granule);
    result<ogg_page_place> place = known ? *known : packets_.find(granule, sound_at_);
    for (unsigned tries = 0; place && place->granule != no_granule && tries < 8; ++tries) {
      restart(place->at);
      const result<bool> ready = enter(frame);
      if (!ready) return tl::unexpected<error>(ready.error());
      if (*ready) {
        known_.note(granule, *place);
        return {};
      }
      // What ends on that page began before it.
      place = packets_.find(place->granule - 1, sound_at_);
    }
    if (!place) return tl::unexpected<error>(place.error());
    restart(sound_at_);
    is_settled_ = true;
    timing_.begin(frame, 0);
    return {};
  }

  bool length_is_at_end() const noexcept override { return true; }
  result<std::uint64_t> length() noexcept override {
    const result<std::int64_t> last = packets_.last_granule(sound_at_);
    if (!last) return tl::unexpected<error>(last.error());
    timing_.set_end(*last - static_cast<std::int64_t>(base_));
    return timing_.end();
  }

 private:
  static constexpr unsigned header_count = 3;

  result<void> read_headers() noexcept {
    header_pages pages(memory_);
    for (unsigned i = 0; i < header_count; ++i) {
      sound_packet packet;
      const result<bool> more = packets_.next(packet);
      if (!more) return tl::unexpected<error>(more.error());
      if (!*more || packet.after_gap || packet.bytes.size() < 7) {
        return fail(errc::corrupt, "damaged Vorbis headers");
      }
      ogg_packet header = ogg_packet_of(packet.bytes);
      if (i == 1) {
        tags_ = tags_of_comments(packet.bytes.subspan(7));
        header.packet = const_cast<unsigned char*>(no_comments);
        header.bytes = sizeof no_comments;
      }
      header.b_o_s = i == 0 ? 1 : 0;
      if (!pages.add(header)) return fail(errc::out_of_memory, codec_out_of_memory);
      if (i == 2) {
        if (result<void> allowed = check_memory(pages.bytes()); !allowed) return allowed;
      }
      const int code = vorbis_synthesis_headerin(&info_, &comment_, &header);
      if (code == OV_EVERSION) return fail(errc::unsupported, "unsupported Vorbis version");
      if (code != 0) return fail(errc::corrupt, "damaged Vorbis headers");
    }
    packets_.shrink();
    return {};
  }

  result<void> check_memory(std::span<const std::byte> headers) const noexcept {
    const result<std::uint64_t> library =
        decoders_detail::vorbis_memory(headers, decoders_detail::page_checksums::verified);
    if (!library) return tl::unexpected<error>(library.error());
    if (*library > bytes_max_) return fail(errc::limit, codec_over_memory);
    const decoders_detail::library_memory room(*library);
    if (!room) return fail(errc::out_of_memory, codec_out_of_memory);
    return {};
  }

  result<void> begin_sound() noexcept {
    if (info_.channels < 1 || info_.rate < 1 ||
        info_.channels > static_cast<int>(limits::sound_channels_max)) {
      return fail(errc::limit, limit_text::sound_channels);
    }
    if (vorbis_synthesis_init(&dsp_, &info_) != 0) {
      return fail(errc::corrupt, "damaged Vorbis headers");
    }
    (void)vorbis_block_init(&dsp_, &block_);
    decodes_ = true;
    sound_at_ = packets_.next_at();
    sound_packet packet;
    const result<bool> more = packets_.next(packet);
    if (!more) return tl::unexpected<error>(more.error());
    // A song that was cut out of a longer one begins later.
    if (*more) {
      base_ = static_cast<std::uint64_t>(std::max<std::int64_t>(first_granule(packet), 0));
    }
    restart(sound_at_);
    is_settled_ = true;
    return {};
  }

  // Of the first frame that the decoder gives after this packet, from which it begins.
  std::int64_t first_granule(const sound_packet& packet) noexcept {
    ogg_packet first = ogg_packet_of(packet.bytes);
    long before = std::max(vorbis_packet_blocksize(&info_, &first), 0L);
    std::int64_t frames = 0;
    packets_.for_rest_of_page([&](std::span<const std::byte> bytes) {
      ogg_packet other = ogg_packet_of(bytes);
      const long block = vorbis_packet_blocksize(&info_, &other);
      if (block <= 0) return;
      frames += before / 4 + block / 4;
      before = block;
    });
    return packets_.granule_of_page() - frames;
  }

  void restart(std::uint64_t at) noexcept {
    packets_.go_to(at);
    (void)vorbis_synthesis_restart(&dsp_);
    is_settled_ = false;
    lost_packet_ = false;
    knows_end_ = false;
    last_block_ = 0;
  }

  // Reads the first packet after a seek. False if the frame is before what comes out of it.
  result<bool> enter(std::uint64_t frame) noexcept {
    sound_packet packet;
    const result<bool> more = packets_.next(packet);
    if (!more || !*more) return more;
    const std::int64_t first = first_granule(packet) - static_cast<std::int64_t>(base_);
    if (first > static_cast<std::int64_t>(frame)) return false;
    timing_.begin(frame, first);
    decode_packet(packet);
    return true;
  }

  void feed(const sound_packet& packet) noexcept {
    const bool is_expected = std::exchange(is_settled_, false);
    if (std::exchange(lost_packet_, false) || (packet.after_gap && !is_expected)) {
      go_on_after_gap(packet);
    }
    decode_packet(packet);
  }

  // Page numbers may have a gap where nothing is missing.
  void go_on_after_gap(const sound_packet& packet) noexcept {
    ogg_packet one = ogg_packet_of(packet.bytes);
    const long block = vorbis_packet_blocksize(&info_, &one);
    const std::int64_t first = first_granule(packet) - static_cast<std::int64_t>(base_);
    const auto position = static_cast<std::int64_t>(timing_.position());
    const std::int64_t without_gap = position + last_block_ / 4 + block / 4;
    if (last_block_ > 0 && block > 0 && first <= without_gap) return;
    (void)vorbis_synthesis_restart(&dsp_);
    if (timing_.go_on(first, gap_max())) {
      log_.note(errc::corrupt, "Vorbis sound with missing data", packets_.page_at());
    }
  }

  void decode_packet(const sound_packet& packet) noexcept {
    ogg_packet one = ogg_packet_of(packet.bytes);
    one.granulepos = packet.granule;
    one.e_o_s = packet.ends_stream ? 1 : 0;
    one.packetno = number_++;
    last_block_ = vorbis_packet_blocksize(&info_, &one);
    if (vorbis_synthesis(&block_, &one) == 0) {
      (void)vorbis_synthesis_blockin(&dsp_, &block_);
    } else if (!packet.bytes.empty()) {
      log_.note(errc::corrupt, "damaged Vorbis sound", packets_.page_at());
      lost_packet_ = true;
      last_block_ = 0;
    }
  }

  [[nodiscard]] std::uint64_t gap_max() const noexcept {
    return static_cast<std::uint64_t>(info_.rate) * gap_seconds_max;
  }

  allocator& memory_;
  damage_log& log_;
  std::uint64_t bytes_max_;
  ogg_packets packets_;
  ogg_timing timing_;
  known_places known_;
  loop_tags tags_;
  vorbis_info info_ = {};
  vorbis_comment comment_ = {};
  vorbis_dsp_state dsp_ = {};
  vorbis_block block_ = {};
  std::uint64_t sound_at_ = 0;  // the first page after the headers
  std::uint64_t base_ = 0;      // the granule of the first frame
  long last_block_ = 0;         // of the packet before
  ogg_int64_t number_ = 0;      // of packets; only that they follow each other counts
  bool decodes_ = false;
  bool is_settled_ = false;   // a jump in the pages is expected, and the timing knows of it
  bool lost_packet_ = false;  // the last packet could not be decoded
  bool knows_end_ = false;    // what follows the song was looked at
};

}  // namespace

result<sound_codec*> open_vorbis(const codec_request& request) noexcept {
  return make_codec<vorbis_song>(request);
}

}  // namespace overture::sounds_detail
