// WAV sounds: PCM, floating point and IMA ADPCM, converted to 16-bit samples.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/ascii.hpp"
#include "base/limit_text.hpp"
#include "base/little_endian.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"
#include "overture/base/path.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

namespace {

constexpr std::uint32_t tag_pcm = 1;
constexpr std::uint32_t tag_float = 3;
constexpr std::uint32_t tag_ima_adpcm = 0x11;
constexpr std::uint32_t tag_extensible = 0xFFFE;  // the real tag is in the extension

struct wav_format {
  std::uint32_t tag = 0;
  std::uint32_t channels = 0;
  std::uint32_t sample_rate = 0;
  std::uint32_t block_bytes = 0;
  std::uint32_t bits = 0;
};

struct wav_file {
  wav_format format;
  std::span<const std::byte> data;
  std::uint64_t stated_frames = UINT64_MAX;  // from the "fact" chunk of compressed sounds
};

result<wav_format> parse_format(std::span<const std::byte> chunk) noexcept {
  if (chunk.size() < 16) return fail(errc::corrupt, "the WAV file is truncated");
  wav_format format;
  format.tag = load_u16(chunk.data());
  format.channels = load_u16(chunk.data() + 2);
  format.sample_rate = load_u32(chunk.data() + 4);
  format.block_bytes = load_u16(chunk.data() + 12);
  format.bits = load_u16(chunk.data() + 14);
  if (format.tag == tag_extensible) {
    if (chunk.size() < 26) return fail(errc::corrupt, "the WAV file is truncated");
    format.tag = load_u16(chunk.data() + 24);
  }
  if (format.channels == 0 || format.sample_rate == 0) {
    return fail(errc::corrupt, "WAV format without channels or sample rate");
  }
  if (format.channels > limits::sound_channels_max) {
    return fail(errc::limit, limit_text::sound_channels);
  }
  return format;
}

// Reads chunks up to the samples; those after them (names, loops) are not needed.
result<wav_file> parse(std::span<const std::byte> bytes) noexcept {
  const auto is = [&](std::uint64_t at, const char(&id)[5]) {
    return std::memcmp(bytes.data() + at, id, 4) == 0;
  };
  // The size in the RIFF header is often wrong, and not needed.
  if (bytes.size() < 12 || !is(0, "RIFF") || !is(8, "WAVE")) {
    return fail(errc::corrupt, "not a WAV file");
  }
  wav_file file;
  std::uint64_t at = 12;
  while (bytes.size() - at >= 8) {
    std::uint64_t size = load_u32(bytes.data() + at + 4);
    const bool is_data = is(at, "data");
    const std::uint64_t rest = bytes.size() - at - 8;
    // Programs that write to a pipe do not know the size and put the maximum there.
    if (is_data && size == UINT32_MAX) size = rest;
    if (size > rest) return fail(errc::corrupt, "the WAV file is truncated", {}, at);
    const std::span<const std::byte> chunk = bytes.subspan(at + 8, size);
    if (is(at, "fmt ")) {
      const result<wav_format> format = parse_format(chunk);
      if (!format) return tl::unexpected<error>(format.error());
      file.format = *format;
    } else if (is(at, "fact") && size >= 4) {
      file.stated_frames = load_u32(chunk.data());
    } else if (is_data) {
      if (file.format.channels == 0) return fail(errc::corrupt, "WAV samples without a format");
      file.data = chunk;
      return file;
    }
    at += 8 + std::min(size + size % 2, rest);  // padded to even sizes, except perhaps the last
  }
  return fail(errc::corrupt, "WAV file without samples");
}

void copy_u8(const std::byte* from, std::span<std::int16_t> to) noexcept {
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] = static_cast<std::int16_t>((static_cast<int>(load_u8(from + i)) - 128) * 256);
  }
}
void copy_i16(const std::byte* from, std::span<std::int16_t> to) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    if (!to.empty()) std::memcpy(to.data(), from, to.size_bytes());
  } else {
    for (std::size_t i = 0; i < to.size(); ++i) {
      to[i] = static_cast<std::int16_t>(load_u16(from + i * 2));
    }
  }
}
// The upper 16 bits of 24-bit or 32-bit samples.
template <std::size_t Bytes>
void copy_upper(const std::byte* from, std::span<std::int16_t> to) noexcept {
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] = static_cast<std::int16_t>(load_u16(from + i * Bytes + Bytes - 2));
  }
}
void copy_float(const std::byte* from, std::span<std::int16_t> to) noexcept {
  for (std::size_t i = 0; i < to.size(); ++i) {
    const float sample = load_f32(from + i * 4) * 32768.0f;
    // NaN fails every comparison and becomes silence.
    to[i] = sample >= 32767.0f    ? std::int16_t{32767}
            : sample <= -32768.0f ? std::int16_t{-32768}
            : sample == sample    ? static_cast<std::int16_t>(sample)
                                  : std::int16_t{0};
  }
}

using copy_samples = void (*)(const std::byte*, std::span<std::int16_t>) noexcept;

copy_samples copy_for(const wav_format& format) noexcept {
  if (format.tag == tag_float && format.bits == 32) return copy_float;
  if (format.tag != tag_pcm) return nullptr;
  switch (format.bits) {
    case 8:
      return copy_u8;
    case 16:
      return copy_i16;
    case 24:
      return copy_upper<3>;
    case 32:
      return copy_upper<4>;
    default:
      return nullptr;
  }
}

// IMA ADPCM: each 4-bit code changes the predicted sample and the step size.
class ima_channel {
 public:
  // Takes the four-byte header of a block. False if the step index is out of range.
  [[nodiscard]] bool begin(const std::byte* header) noexcept {
    sample_ = load_i16(header);
    step_index_ = static_cast<int>(load_u8(header + 2));
    return step_index_ < static_cast<int>(steps.size());
  }
  [[nodiscard]] std::int16_t sample() const noexcept { return static_cast<std::int16_t>(sample_); }
  [[nodiscard]] std::int16_t next(unsigned code) noexcept {
    static constexpr std::array<int, 8> index_changes = {-1, -1, -1, -1, 2, 4, 6, 8};
    const int step = steps[static_cast<std::size_t>(step_index_)];
    int change = step >> 3;
    if (code & 1) change += step >> 2;
    if (code & 2) change += step >> 1;
    if (code & 4) change += step;
    sample_ = std::clamp(code & 8 ? sample_ - change : sample_ + change, -32768, 32767);
    step_index_ =
        std::clamp(step_index_ + index_changes[code & 7], 0, static_cast<int>(steps.size()) - 1);
    return sample();
  }

 private:
  static constexpr std::array<int, 89> steps = {
      7,     8,     9,     10,    11,    12,    13,    14,    16,    17,    19,   21,    23,
      25,    28,    31,    34,    37,    41,    45,    50,    55,    60,    66,   73,    80,
      88,    97,    107,   118,   130,   143,   157,   173,   190,   209,   230,  253,   279,
      307,   337,   371,   408,   449,   494,   544,   598,   658,   724,   796,  876,   963,
      1060,  1166,  1282,  1411,  1552,  1707,  1878,  2066,  2272,  2499,  2749, 3024,  3327,
      3660,  4026,  4428,  4871,  5358,  5894,  6484,  7132,  7845,  8630,  9493, 10442, 11487,
      12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767};

  int sample_ = 0;
  int step_index_ = 0;
};

// A block: one sample per channel, then words of eight samples, the channels alternating.
[[nodiscard]] bool unpack_ima_block(const std::byte* block, std::uint32_t channels,
                                    std::size_t frames, std::int16_t* to) noexcept {
  for (std::uint32_t channel = 0; channel < channels; ++channel) {
    ima_channel state;
    if (!state.begin(block + std::size_t{channel} * 4)) return false;
    to[channel] = state.sample();
    for (std::size_t frame = 1; frame < frames; ++frame) {
      const std::size_t word = (frame - 1) / 8;
      const std::size_t place = (frame - 1) % 8;
      const std::uint32_t pair =
          load_u8(block + (std::size_t{channels} * (word + 1) + channel) * 4 + place / 2);
      to[frame * channels + channel] = state.next(place % 2 == 0 ? pair & 15 : pair >> 4);
    }
  }
  return true;
}

class wav final : public decoder {
 public:
  const char* name() const noexcept override { return "wav"; }

  bool accepts(std::string_view path, std::span<const std::byte>) const noexcept override {
    return equals_ignoring_case(extension(path), "wav");
  }

  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner&) const noexcept override {
    const result<wav_file> file = parse(bytes);
    if (!file) return tl::unexpected<error>(file.error());
    if (file->format.tag == tag_ima_adpcm && file->format.bits == 4) return unpack(*file, memory);
    const copy_samples copy = copy_for(file->format);
    if (!copy) return fail(errc::unsupported, "unsupported WAV sample format");
    const std::uint32_t frame_bytes = file->format.channels * (file->format.bits / 8);
    if (file->format.block_bytes != frame_bytes) {
      return fail(errc::corrupt, "contradictory WAV format");
    }
    result<decoded_asset> sound = make(file->format, file->data.size() / frame_bytes, memory);
    if (sound) copy(file->data.data(), samples_of(*sound));
    return sound;
  }

 private:
  static std::span<std::int16_t> samples_of(const decoded_asset& sound) noexcept {
    return {reinterpret_cast<std::int16_t*>(sound.bytes().data()),
            sound.bytes().size() / sizeof(std::int16_t)};
  }

  static result<decoded_asset> make(const wav_format& format, std::uint64_t frames,
                                    allocator& memory) noexcept {
    const std::uint64_t frame_bytes = format.channels * sizeof(std::int16_t);
    if (frames > limits::sound_bytes_max / frame_bytes) {
      return fail(errc::limit, limit_text::sound_bytes);
    }
    result<decoded_asset> sound =
        decoded_asset::make(asset_kind::sound, frames * frame_bytes, memory);
    if (!sound) return sound;
    sound->sample_rate = format.sample_rate;
    sound->channels = format.channels;
    sound->frames = frames;
    return sound;
  }

  // Decodes whole blocks; the last may hold more samples than the sound has.
  static result<decoded_asset> unpack(const wav_file& file, allocator& memory) noexcept {
    const std::uint32_t channels = file.format.channels;
    const std::uint32_t words_bytes = channels * 4;
    const std::uint32_t block_bytes = file.format.block_bytes;
    if (block_bytes < words_bytes || block_bytes % words_bytes != 0) {
      return fail(errc::corrupt, "invalid WAV block size");
    }
    const std::uint64_t block_frames = 1 + std::uint64_t{block_bytes / words_bytes - 1} * 8;
    const std::uint64_t frames =
        std::min(file.data.size() / block_bytes * block_frames, file.stated_frames);
    result<decoded_asset> sound = make(file.format, frames, memory);
    if (!sound) return sound;
    std::int16_t* to = samples_of(*sound).data();
    const std::byte* block = file.data.data();
    for (std::uint64_t left = frames; left > 0; block += block_bytes) {
      const std::uint64_t now = std::min(left, block_frames);
      if (!unpack_ima_block(block, channels, now, to)) {
        return fail(errc::corrupt, "damaged WAV block");
      }
      to += now * channels;
      left -= now;
    }
    return sound;
  }
};

}  // namespace

const decoder& wav_decoder() noexcept {
  static const wav instance;
  return instance;
}

}  // namespace overture::decoders_detail
