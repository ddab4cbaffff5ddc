// SPDX-License-Identifier: Zlib
//
// WAV with PCM or floats, read in pieces. The whole-file decoder (src/decoders/wav.cpp) reads more
// variants.
#include <algorithm>
#include <cstring>

#include "base/limit_text.hpp"
#include "base/little_endian.hpp"
#include "overture/base/limits.hpp"
#include "sounds/codecs/codec.hpp"
#include "sounds/codecs/made.hpp"

namespace overture::sounds_detail {
using namespace base_detail;

namespace {

constexpr std::uint32_t wav_pcm = 1;
constexpr std::uint32_t wav_float = 3;
constexpr std::uint32_t wav_extensible = 0xFFFE;  // the real tag is in the extension

template <std::size_t Bytes>
std::int32_t wav_integer(const std::byte* at) noexcept {
  if constexpr (Bytes == 1) return (static_cast<std::int32_t>(load_u8(at)) - 128) * (1 << 24);
  if constexpr (Bytes == 2) return static_cast<std::int32_t>(load_u16(at) << 16);
  if constexpr (Bytes == 3) return static_cast<std::int32_t>(load_u24(at) << 8);
  return static_cast<std::int32_t>(load_u32(at));
}

template <std::size_t Bytes>
void write_integers(const frame_room& room, const std::byte* from, std::size_t samples) noexcept {
  for (std::size_t i = 0; i < samples; ++i) {
    const std::int32_t sample = wav_integer<Bytes>(from + i * Bytes);
    if (room.samples == sound_samples::int16) {
      room.integers()[i] = static_cast<std::int16_t>(sample >> 16);
    } else {
      room.floats()[i] = static_cast<float>(sample) * (1.0f / 2147483648.0f);
    }
  }
}

void write_wav_floats(const frame_room& room, const std::byte* from, std::size_t samples) noexcept {
  for (std::size_t i = 0; i < samples; ++i) {
    const float sample = load_f32(from + i * 4);
    if (room.samples == sound_samples::int16) {
      // Cut off, not rounded, as the whole-file decoder does.
      const float scaled = sample * 32768.0f;
      room.integers()[i] = scaled >= 32767.0f    ? std::int16_t{32767}
                           : scaled <= -32768.0f ? std::int16_t{-32768}
                           : scaled == scaled    ? static_cast<std::int16_t>(scaled)
                                                 : std::int16_t{0};
    } else {
      room.floats()[i] = sample;
    }
  }
}

class wav_stream final : public codec_of<wav_stream> {
 public:
  explicit wav_stream(const codec_request& request) noexcept
      : file_(request.file), log_(request.log) {}

  result<void> open() noexcept {
    std::byte front[12];
    if (result<void> read = read_at(0, front); !read) return read;
    if (std::memcmp(front, "RIFX", 4) == 0) {
      return fail(errc::unsupported, "a big-endian WAV file (RIFX); convert it to RIFF");
    }
    if (std::memcmp(front + 8, "WAVE", 4) != 0) return fail(errc::corrupt, "not a WAV file");
    return find_samples();
  }

  sound_format format() const noexcept override { return {"wav", channels_, rate_}; }

  result<std::size_t> decode(const frame_room& room) noexcept override {
    std::byte block[8192];
    const std::size_t wanted = std::min(room.frames, sizeof block / frame_bytes_);
    const std::size_t count =
        static_cast<std::size_t>(std::min<std::uint64_t>(wanted, frames_ - frame_));
    if (count == 0) {
      note_missing();
      return std::size_t{0};
    }
    result<void> read =
        read_at(data_at_ + frame_ * frame_bytes_, std::span(block).first(count * frame_bytes_));
    if (!read) return tl::unexpected<error>(read.error());
    write_(room, block, count * channels_);
    frame_ += count;
    return count;
  }

  result<void> seek(std::uint64_t frame) noexcept override {
    frame_ = std::min(frame, frames_);
    return {};
  }

  result<std::uint64_t> length() noexcept override { return frames_; }

 private:
  using write_samples = void (*)(const frame_room&, const std::byte*, std::size_t) noexcept;

  result<void> read_at(std::uint64_t at, std::span<std::byte> to) noexcept {
    if (!fits(at, to.size(), 1, file_.size())) {
      return fail(errc::corrupt, "the WAV file is truncated");
    }
    if (result<void> moved = file_.seek(at); !moved) return moved;
    return file_.read_all_of(to);
  }

  // Reads chunks up to the samples.
  result<void> find_samples() noexcept {
    constexpr std::uint64_t header_bytes = 8;
    std::uint64_t long_data_bytes = UINT32_MAX;  // of RF64
    std::uint64_t at = 12;
    // Real files have a few; each costs a read.
    for (unsigned chunks = 0; chunks < 1000; ++chunks) {
      std::byte header[header_bytes];
      if (!fits(at, header_bytes, 1, file_.size())) break;
      if (result<void> read = read_at(at, header); !read) return read;
      std::uint64_t size = load_u32(header + 4);
      at += header_bytes;
      if (std::memcmp(header, "fmt ", 4) == 0) {
        if (result<void> known = take_format(at, size); !known) return known;
      } else if (std::memcmp(header, "ds64", 4) == 0 && size >= 16) {
        std::byte sizes[16];
        if (result<void> read = read_at(at, sizes); !read) return read;
        long_data_bytes = load_u64(sizes + 8);
      } else if (std::memcmp(header, "data", 4) == 0) {
        if (channels_ == 0) return fail(errc::corrupt, "WAV samples without a format");
        if (size == UINT32_MAX) size = long_data_bytes;
        take_data(at, size);
        return {};
      }
      at += size + size % 2;
    }
    return fail(errc::corrupt, "WAV file without samples");
  }

  result<void> take_format(std::uint64_t at, std::uint64_t size) noexcept {
    std::byte chunk[26];
    if (size < 16) return fail(errc::corrupt, "the WAV file is truncated");
    const std::size_t known = size >= sizeof chunk ? sizeof chunk : 16;
    if (result<void> read = read_at(at, std::span(chunk).first(known)); !read) return read;
    std::uint32_t tag = load_u16(chunk);
    channels_ = load_u16(chunk + 2);
    rate_ = load_u32(chunk + 4);
    const std::uint32_t bits = load_u16(chunk + 14);
    if (tag == wav_extensible && known == sizeof chunk) tag = load_u16(chunk + 24);
    if (channels_ == 0 || rate_ == 0) {
      return fail(errc::corrupt, "WAV format without channels or sample rate");
    }
    if (channels_ > limits::sound_channels_max) {
      return fail(errc::limit, limit_text::sound_channels);
    }
    write_ = writer_of(tag, bits);
    if (write_ == nullptr) {
      return fail(errc::unsupported,
                  "this WAV format cannot be streamed: use PCM or floats of 32 bits");
    }
    frame_bytes_ = std::uint64_t{channels_} * (bits / 8);
    return {};
  }

  static write_samples writer_of(std::uint32_t tag, std::uint32_t bits) noexcept {
    if (tag == wav_float) return bits == 32 ? write_wav_floats : nullptr;
    if (tag != wav_pcm) return nullptr;
    switch (bits) {
      case 8:
        return write_integers<1>;
      case 16:
        return write_integers<2>;
      case 24:
        return write_integers<3>;
      case 32:
        return write_integers<4>;
      default:
        return nullptr;
    }
  }

  // A size beyond the end is that of a program that wrote to a pipe, or of a file that was cut.
  void take_data(std::uint64_t at, std::uint64_t size) noexcept {
    constexpr std::uint64_t unknown_min = 0x7FFFF000;
    constexpr std::uint64_t surplus_max = 16;
    const std::uint64_t rest = file_.size() - at;
    data_at_ = at;
    const bool is_unknown = size >= unknown_min && size <= UINT32_MAX;
    misses_ = size > rest && !is_unknown && size - rest > surplus_max;
    frames_ = std::min(size, rest) / frame_bytes_;
  }

  void note_missing() noexcept {
    if (!misses_) return;
    misses_ = false;
    log_.note(errc::truncated, "the WAV file is truncated", file_.size());
  }

  file_reader& file_;
  damage_log& log_;
  std::uint32_t channels_ = 0;
  std::uint32_t rate_ = 0;
  std::uint64_t frame_bytes_ = 0;
  write_samples write_ = nullptr;
  std::uint64_t data_at_ = 0;
  std::uint64_t frames_ = 0;
  std::uint64_t frame_ = 0;  // the next one
  bool misses_ = false;      // samples that the file states; told once
};

}  // namespace

result<sound_codec*> open_wav(const codec_request& request) noexcept {
  return make_codec<wav_stream>(request);
}

}  // namespace overture::sounds_detail
