// SPDX-License-Identifier: Zlib
//
// FLAC, through libFLAC. The library sees a file of stream information and sound only: seek tables
// and pictures of many megabytes stay outside.
#include <FLAC/stream_decoder.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "base/limit_text.hpp"
#include "base/little_endian.hpp"
#include "base/vec.hpp"
#include "overture/base/limits.hpp"
#include "sounds/codecs/codec.hpp"
#include "sounds/codecs/made.hpp"
#include "sounds/codecs/tags.hpp"

namespace overture::sounds_detail {
using namespace base_detail;

namespace {

constexpr std::size_t stream_info_bytes = 34;
constexpr std::size_t flac_front_bytes = 4 + 4 + stream_info_bytes;

struct free_flac_decoder {
  void operator()(FLAC__StreamDecoder* codec) const noexcept { FLAC__stream_decoder_delete(codec); }
};

class flac_song final : public codec_of<flac_song> {
 public:
  explicit flac_song(const codec_request& request) noexcept
      : file_(request.file),
        memory_(request.memory),
        log_(request.log),
        bytes_max_(request.bytes_max),
        block_(request.memory, memory_tag::decode) {}

  result<void> open() noexcept {
    return read_metadata().and_then([this] { return begin_decoder(); });
  }

  sound_format format() const noexcept override { return {"flac", channels_, rate_}; }
  loop_tags tags() const noexcept override { return tags_; }

  result<std::size_t> decode(const frame_room& room) noexcept override {
    for (;;) {
      const std::size_t count = std::min(room.frames, block_frames_ - block_at_);
      if (silence_ != 0) return write_silence(room);
      if (count != 0) {
        write(room, count);
        block_at_ += count;
        frame_ += count;
        return count;
      }
      const result<bool> more = next_block();
      if (!more) return tl::unexpected<error>(more.error());
      if (!*more) return std::size_t{0};
    }
  }

  result<void> seek(std::uint64_t frame) noexcept override {
    forget_block();
    frame_ = frames_ == 0 ? frame : std::min(frame, frames_);
    if (frames_ != 0 && frame_ == frames_) return {};
    is_seeking_ = true;
    const bool found = FLAC__stream_decoder_seek_absolute(codec_.get(), frame_) != 0;
    is_seeking_ = false;
    if (reading_) return tl::unexpected<error>(*reading_);
    if (found) return {};
    // Damaged, or shorter than that: looks for the frame from the beginning.
    forget_block();
    wanted_ = frame_;
    at_ = 0;
    (void)FLAC__stream_decoder_flush(codec_.get());
    if (FLAC__stream_decoder_reset(codec_.get()) == 0 ||
        FLAC__stream_decoder_process_until_end_of_metadata(codec_.get()) == 0) {
      return fail(errc::out_of_memory, codec_out_of_memory);
    }
    return {};
  }

  result<std::uint64_t> length() noexcept override { return frames_; }

 private:
  result<void> read_at(std::uint64_t at, std::span<std::byte> to) noexcept {
    if (!fits(at, to.size(), 1, file_.size())) {
      return fail(errc::corrupt, "the FLAC file is truncated");
    }
    if (result<void> moved = file_.seek(at); !moved) return moved;
    return file_.read_all_of(to);
  }

  result<void> read_metadata() noexcept {
    constexpr std::uint32_t stream_info = 0;
    constexpr std::uint32_t comments = 4;
    constexpr std::uint32_t comment_bytes_max = 1u << 20;
    std::uint64_t at = 4;
    // 128 kinds, and a few pictures.
    for (unsigned blocks = 0; blocks < 1000; ++blocks) {
      std::byte header[4];
      if (result<void> read = read_at(at, header); !read) return read;
      const std::uint32_t kind = load_u8(header) & 127;
      const std::size_t size =
          load_u8(header + 1) << 16 | load_u8(header + 2) << 8 | load_u8(header + 3);
      at += sizeof header;
      if (kind == stream_info && blocks == 0) {
        if (result<void> taken = take_stream_info(at, size); !taken) return taken;
      } else if (kind == comments && size <= comment_bytes_max) {
        vec<std::byte> list(memory_, memory_tag::decode);
        if (!list.resize_for_overwrite(size)) {
          return fail(errc::out_of_memory, codec_out_of_memory);
        }
        if (result<void> read = read_at(at, {list.data(), size}); !read) return read;
        tags_ = tags_of_comments(list.span());
      }
      at += size;
      if ((load_u8(header) & 128) == 0) continue;
      if (channels_ == 0) break;
      sound_at_ = at;
      return {};
    }
    return fail(errc::corrupt, "not a FLAC file");
  }

  result<void> take_stream_info(std::uint64_t at, std::size_t size) noexcept {
    if (size != stream_info_bytes) return fail(errc::corrupt, "not a FLAC file");
    std::memcpy(front_, "fLaC\x80\0\0\x22", 8);  // the only block, of 34 bytes
    std::byte* const info = front_ + 8;
    if (result<void> read = read_at(at, {info, stream_info_bytes}); !read) return read;
    block_frames_max_ = load_u8(info + 2) << 8 | load_u8(info + 3);
    rate_ = load_u8(info + 10) << 12 | load_u8(info + 11) << 4 | load_u8(info + 12) >> 4;
    channels_ = (load_u8(info + 12) >> 1 & 7) + 1;
    bits_ = ((load_u8(info + 12) & 1) << 4 | load_u8(info + 13) >> 4) + 1;
    frames_ = std::uint64_t{load_u8(info + 13) & 15} << 32 | load_u8(info + 14) << 24 |
              load_u8(info + 15) << 16 | load_u8(info + 16) << 8 | load_u8(info + 17);
    if (rate_ == 0) return fail(errc::corrupt, "FLAC file without a sample rate");
    if (block_frames_max_ < 16) return fail(errc::corrupt, "not a FLAC file");
    return {};
  }

  result<void> begin_decoder() noexcept {
    // libFLAC keeps the samples of a block and what they were predicted from, in 32 bits, and in 64
    // for wide ones.
    constexpr std::uint64_t fixed_bytes = 256u << 10;
    const std::uint64_t samples = std::uint64_t{block_frames_max_} * channels_;
    if (fixed_bytes + samples * 16 > bytes_max_) return fail(errc::limit, codec_over_memory);
    codec_.reset(FLAC__stream_decoder_new());
    if (!codec_ || !block_.resize_for_overwrite(samples)) {
      return fail(errc::out_of_memory, codec_out_of_memory);
    }
    if (FLAC__stream_decoder_init_stream(codec_.get(), read, seek_to, tell, size_of, is_at_end,
                                         take_block, nullptr, note,
                                         this) != FLAC__STREAM_DECODER_INIT_STATUS_OK) {
      return fail(errc::out_of_memory, codec_out_of_memory);
    }
    const bool begun = FLAC__stream_decoder_process_until_end_of_metadata(codec_.get()) != 0;
    if (reading_) return tl::unexpected<error>(*reading_);
    if (!begun) return fail(errc::corrupt, "not a FLAC file");
    return {};
  }

  // False at the end.
  result<bool> next_block() noexcept {
    if (frames_ != 0 && frame_ >= frames_) return false;
    forget_block();
    FLAC__uint64 at = 0;  // not known while libFLAC looks for the next block
    if (FLAC__stream_decoder_get_decode_position(codec_.get(), &at) != 0) block_byte_ = at;
    const bool went_on = FLAC__stream_decoder_process_single(codec_.get()) != 0;
    if (reading_) return tl::unexpected<error>(*reading_);
    const FLAC__StreamDecoderState state = FLAC__stream_decoder_get_state(codec_.get());
    if (state == FLAC__STREAM_DECODER_MEMORY_ALLOCATION_ERROR) {
      return fail(errc::out_of_memory, codec_out_of_memory);
    }
    if (unsupported_) return fail(errc::unsupported, "FLAC file with blocks of other formats");
    if (!went_on && state != FLAC__STREAM_DECODER_END_OF_STREAM) {
      return fail(errc::corrupt, "damaged FLAC sound");
    }
    if (state != FLAC__STREAM_DECODER_END_OF_STREAM || block_frames_ != 0) return true;
    if (frame_ >= frames_ || told_of_cut_) return false;
    told_of_cut_ = true;
    log_.note(errc::truncated, "the FLAC file is truncated", file_.size());
    return false;
  }

  void forget_block() noexcept {
    block_frames_ = 0;
    block_at_ = 0;
    silence_ = 0;
  }

  std::size_t write_silence(const frame_room& room) noexcept {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(silence_, room.frames));
    room.write_silence(count);
    silence_ -= count;
    frame_ += count;
    return count;
  }

  void write(const frame_room& room, std::size_t count) const noexcept {
    const std::int32_t* from = block_.data() + block_at_ * channels_;
    const std::size_t samples = count * channels_;
    if (room.samples == sound_samples::float32) {
      const float scale = 1.0f / static_cast<float>(std::uint32_t{1} << (bits_ - 1));
      for (std::size_t i = 0; i < samples; ++i) {
        room.floats()[i] = static_cast<float>(from[i]) * scale;
      }
      return;
    }
    const int up = bits_ < 16 ? static_cast<int>(16 - bits_) : 0;
    const int down = bits_ > 16 ? static_cast<int>(bits_ - 16) : 0;
    for (std::size_t i = 0; i < samples; ++i) {
      room.integers()[i] = static_cast<std::int16_t>((from[i] >> down) * (1 << up));
    }
  }

  // --- What libFLAC calls -----------------------------------------------------------------------

  static flac_song& self(void* client) noexcept { return *static_cast<flac_song*>(client); }
  [[nodiscard]] std::uint64_t size() const noexcept {
    return flac_front_bytes + (file_.size() - std::min(sound_at_, file_.size()));
  }

  static FLAC__StreamDecoderReadStatus read(const FLAC__StreamDecoder*, FLAC__byte* to,
                                            std::size_t* bytes, void* client) noexcept {
    flac_song& song = self(client);
    const std::size_t wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(*bytes, song.size() - song.at_));
    *bytes = 0;
    if (wanted == 0) return FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM;
    if (song.at_ < flac_front_bytes) {
      *bytes = std::min<std::size_t>(wanted, flac_front_bytes - song.at_);
      std::memcpy(to, song.front_ + song.at_, *bytes);
    } else {
      const std::span<std::byte> room(reinterpret_cast<std::byte*>(to), wanted);
      if (result<void> got = song.read_at(song.sound_at_ + song.at_ - flac_front_bytes, room);
          !got) {
        song.reading_ = got.error();
        return FLAC__STREAM_DECODER_READ_STATUS_ABORT;
      }
      *bytes = wanted;
    }
    song.at_ += *bytes;
    return FLAC__STREAM_DECODER_READ_STATUS_CONTINUE;
  }
  static FLAC__StreamDecoderSeekStatus seek_to(const FLAC__StreamDecoder*, FLAC__uint64 at,
                                               void* client) noexcept {
    if (at > self(client).size()) return FLAC__STREAM_DECODER_SEEK_STATUS_ERROR;
    self(client).at_ = at;
    return FLAC__STREAM_DECODER_SEEK_STATUS_OK;
  }
  static FLAC__StreamDecoderTellStatus tell(const FLAC__StreamDecoder*, FLAC__uint64* at,
                                            void* client) noexcept {
    *at = self(client).at_;
    return FLAC__STREAM_DECODER_TELL_STATUS_OK;
  }
  static FLAC__StreamDecoderLengthStatus size_of(const FLAC__StreamDecoder*, FLAC__uint64* bytes,
                                                 void* client) noexcept {
    *bytes = self(client).size();
    return FLAC__STREAM_DECODER_LENGTH_STATUS_OK;
  }
  static FLAC__bool is_at_end(const FLAC__StreamDecoder*, void* client) noexcept {
    return self(client).at_ >= self(client).size() ? 1 : 0;
  }
  static FLAC__StreamDecoderWriteStatus take_block(const FLAC__StreamDecoder*,
                                                   const FLAC__Frame* frame,
                                                   const FLAC__int32* const channels[],
                                                   void* client) noexcept {
    return self(client).take(frame->header, channels) ? FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE
                                                      : FLAC__STREAM_DECODER_WRITE_STATUS_ABORT;
  }
  // While it seeks, libFLAC tries places that are no frames.
  static void note(const FLAC__StreamDecoder*, FLAC__StreamDecoderErrorStatus,
                   void* client) noexcept {
    flac_song& song = self(client);
    if (song.is_seeking_) return;
    const std::uint64_t in_sound =
        song.block_byte_ - std::min<std::uint64_t>(song.block_byte_, flac_front_bytes);
    song.log_.note(errc::corrupt, "damaged FLAC sound", song.sound_at_ + in_sound);
  }

  // Keeps a block. A sound has one format.
  [[nodiscard]] bool take(const FLAC__FrameHeader& block,
                          const FLAC__int32* const channels[]) noexcept {
    unsupported_ = block.channels != channels_ || block.bits_per_sample != bits_ ||
                   std::size_t{block.blocksize} * channels_ > block_.size();
    if (unsupported_) return false;
    const std::uint64_t first = block.number.sample_number;
    if (wanted_ != 0 && first + block.blocksize <= wanted_) return true;  // not there yet
    std::int32_t* to = block_.data();
    for (std::uint32_t i = 0; i < block.blocksize; ++i) {
      for (std::uint32_t channel = 0; channel < channels_; ++channel) {
        *to++ = channels[channel][i];
      }
    }
    block_frames_ = block.blocksize;
    block_at_ = 0;
    wanted_ = 0;
    // Blocks were lost, or were there before.
    const std::uint64_t gap_max = std::uint64_t{rate_} * 600;
    if (first > frame_ && first - frame_ <= gap_max) {
      silence_ = first - frame_;
    } else if (first < frame_ && frame_ - first < block_frames_) {
      block_at_ = static_cast<std::size_t>(frame_ - first);
    }
    return true;
  }

  file_reader& file_;
  allocator& memory_;
  damage_log& log_;
  std::uint64_t bytes_max_;
  loop_tags tags_;
  std::byte front_[flac_front_bytes] = {};  // of the file that libFLAC sees
  std::uint64_t sound_at_ = 0;              // what follows it, in the real one
  std::uint64_t at_ = 0;                    // where libFLAC is in its file
  std::unique_ptr<FLAC__StreamDecoder, free_flac_decoder> codec_;
  std::uint32_t block_frames_max_ = 0;
  std::uint32_t rate_ = 0;
  std::uint32_t channels_ = 0;
  std::uint32_t bits_ = 0;
  std::uint64_t frames_ = 0;      // of the song; 0 if unknown
  std::uint64_t frame_ = 0;       // the next one
  std::uint64_t wanted_ = 0;      // blocks before it are left out
  std::uint64_t silence_ = 0;     // frames missing before the block
  std::uint64_t block_byte_ = 0;  // where the block began, in libFLAC's file
  vec<std::int32_t> block_;
  std::size_t block_frames_ = 0;
  std::size_t block_at_ = 0;
  std::optional<error> reading_;  // why the file could not be read
  bool is_seeking_ = false;
  bool unsupported_ = false;
  bool told_of_cut_ = false;
};

}  // namespace

result<sound_codec*> open_flac(const codec_request& request) noexcept {
  return make_codec<flac_song>(request);
}

}  // namespace overture::sounds_detail
