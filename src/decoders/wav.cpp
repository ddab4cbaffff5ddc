// SPDX-License-Identifier: Zlib
//
// WAV sounds: PCM, floating point, A-law, mu-law, MS ADPCM and IMA ADPCM, converted to 16-bit
// samples; in RIFF, RF64 (EBU Tech 3306) or Wave64 (Sony), which have 64-bit sizes.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/limit_text.hpp"
#include "base/little_endian.hpp"
#include "decoders/adpcm.hpp"
#include "decoders/signature.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

namespace {

constexpr std::uint32_t tag_pcm = 1;
constexpr std::uint32_t tag_float = 3;
constexpr std::uint32_t tag_ms_adpcm = 2;
constexpr std::uint32_t tag_a_law = 6;
constexpr std::uint32_t tag_mu_law = 7;
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
  std::uint64_t stated_frames = UINT32_MAX;  // from the "fact" chunk of compressed sounds
  const char* warning = nullptr;
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

// The real size of a data chunk that claims more bytes than the file has.
struct data_size {
  std::uint64_t bytes = 0;
  const char* warning = nullptr;  // null: the file is truncated
};

data_size limited_size(std::uint64_t stated, std::uint64_t rest) noexcept {
  // Programs that write to a pipe cannot know the size. SoX writes this, others more.
  constexpr std::uint64_t unknown_min = 0x7FFFF000;
  if (stated >= unknown_min && stated <= UINT32_MAX)
    return {rest, "the WAV file does not state its length"};
  // Programs that count a header or the padding as well. More may be missing samples.
  constexpr std::uint64_t surplus_max = 16;
  if (stated - rest <= surplus_max) return {rest, "the WAV file is shorter than it states"};
  return {};
}

// How a file is divided into chunks. Wave64 has names of 16 bytes, which begin with the usual four.
struct chunk_rules {
  bool found = false;
  std::uint64_t first_at = 0;
  std::uint64_t header_bytes = 0;
  std::uint64_t alignment = 0;
};
constexpr chunk_rules riff_rules{true, 12, 8, 2};
constexpr chunk_rules wave64_rules{true, 40, 24, 8};

bool has_at(std::span<const std::byte> bytes, std::uint64_t at, std::string_view id) noexcept {
  return std::memcmp(bytes.data() + at, id.data(), id.size()) == 0;
}

// The size in the file's header is often wrong, and not needed.
chunk_rules rules_of(std::span<const std::byte> bytes) noexcept {
  if (bytes.size() >= riff_rules.first_at && has_at(bytes, 8, "WAVE") &&
      (has_at(bytes, 0, "RIFF") || has_at(bytes, 0, "RF64") || has_at(bytes, 0, "BW64"))) {
    return riff_rules;
  }
  if (bytes.size() >= wave64_rules.first_at && has_at(bytes, 0, "riff") &&
      has_at(bytes, 24, "wave")) {
    return wave64_rules;
  }
  return {};
}

// Whether the file is not even a damaged one: many games call raw samples .wav.
bool is_raw(std::span<const std::byte> bytes) noexcept {
  return bytes.size() >= riff_rules.first_at && !rules_of(bytes).found &&
         !has_at(bytes, 0, "RIFF") && !has_at(bytes, 0, "riff");
}

// Reads chunks up to the samples; those after them (names, loops) are not needed.
result<wav_file> parse_wav(std::span<const std::byte> bytes) noexcept {
  const auto is = [&](std::uint64_t at, const char(&id)[5]) { return has_at(bytes, at, {id, 4}); };
  if (bytes.size() >= 12 && is(0, "RIFX")) {
    return fail(errc::unsupported, "a big-endian WAV file (RIFX); convert it to RIFF");
  }
  const chunk_rules rules = rules_of(bytes);
  if (!rules.found) return fail(errc::corrupt, "not a WAV file");
  wav_file file;
  std::uint64_t long_data_bytes = UINT32_MAX;  // of RF64
  std::uint64_t at = rules.first_at;
  while (bytes.size() - at >= rules.header_bytes) {
    std::uint64_t size = load_u32(bytes.data() + at + 4);
    if (rules.header_bytes == wave64_rules.header_bytes) {
      size = load_u64(bytes.data() + at + 16) - rules.header_bytes;
    }
    const bool is_data = is(at, "data");
    if (is_data && size == UINT32_MAX) size = long_data_bytes;
    const std::uint64_t rest = bytes.size() - at - rules.header_bytes;
    if (size > rest) {
      const data_size real = is_data ? limited_size(size, rest) : data_size{};
      if (!real.warning) return fail(errc::corrupt, "the WAV file is truncated", {}, at);
      size = real.bytes;
      file.warning = real.warning;
    }
    const std::span<const std::byte> chunk = bytes.subspan(at + rules.header_bytes, size);
    if (is(at, "fmt ")) {
      const result<wav_format> format = parse_format(chunk);
      if (!format) return tl::unexpected<error>(format.error());
      file.format = *format;
    } else if (is(at, "fact") && size >= 4) {
      file.stated_frames = load_u32(chunk.data());
    } else if (is(at, "ds64") && size >= 16) {
      long_data_bytes = load_u64(chunk.data() + 8);
    } else if (is_data) {
      if (file.format.channels == 0) return fail(errc::corrupt, "WAV samples without a format");
      file.data = chunk;
      return file;
    }
    // Padded, except perhaps the last.
    const std::uint64_t padding = (rules.alignment - size % rules.alignment) % rules.alignment;
    at += rules.header_bytes + std::min(size + padding, rest);
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

// ITU-T G.711: sign, three bits of exponent, four of mantissa.
constexpr std::int16_t from_mu_law(unsigned code) noexcept {
  const unsigned bits = ~code & 0xFF;
  const int size = static_cast<int>((((bits & 15) << 3) + 132) << (bits >> 4 & 7)) - 132;
  return static_cast<std::int16_t>((bits & 128) != 0 ? -size : size);
}
constexpr std::int16_t from_a_law(unsigned code) noexcept {
  const unsigned bits = code ^ 0x55;
  const unsigned exponent = bits >> 4 & 7;
  const unsigned mantissa = ((bits & 15) << 4) + (exponent == 0 ? 8 : 0x108);
  const int size = static_cast<int>(exponent > 1 ? mantissa << (exponent - 1) : mantissa);
  return static_cast<std::int16_t>((bits & 128) != 0 ? size : -size);
}
template <std::int16_t (*From)(unsigned) noexcept>
void copy_law(const std::byte* from, std::span<std::int16_t> to) noexcept {
  static constexpr auto samples = [] {
    std::array<std::int16_t, 256> all{};
    for (unsigned code = 0; code < all.size(); ++code) all[code] = From(code);
    return all;
  }();
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = samples[load_u8(from + i)];
}

using copy_samples = void (*)(const std::byte*, std::span<std::int16_t>) noexcept;

copy_samples copy_for(const wav_format& format) noexcept {
  if (format.tag == tag_float && format.bits == 32) return copy_float;
  if (format.tag == tag_a_law && format.bits == 8) return copy_law<from_a_law>;
  if (format.tag == tag_mu_law && format.bits == 8) return copy_law<from_mu_law>;
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

class wav final : public decoder {
 public:
  const char* name() const noexcept override { return "wav"; }

  bool accepts(std::string_view path, std::span<const std::byte> bytes) const noexcept override {
    return is_file_of(file_format::wav, path, bytes);
  }

  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner&) const noexcept override {
    const result<wav_file> file = parse_wav(bytes);
    if (!file && file.error().code == errc::corrupt && is_raw(bytes)) {
      decoded_asset kept;
      kept.warning = "not a WAV file: raw samples, or unknown";
      return kept;
    }
    if (!file) return tl::unexpected<error>(file.error());
    result<decoded_asset> sound = convert(*file, memory);
    if (sound && file->warning) sound->warning = file->warning;
    return sound;
  }

 private:
  static result<decoded_asset> convert(const wav_file& file, allocator& memory) noexcept {
    const wav_format& format = file.format;
    if (format.bits == 4 && format.tag == tag_ima_adpcm) return unpack(file, ima_adpcm, memory);
    if (format.bits == 4 && format.tag == tag_ms_adpcm) return unpack(file, ms_adpcm, memory);
    const copy_samples copy = copy_for(format);
    if (!copy) return fail(errc::unsupported, "unsupported WAV sample format");
    const std::uint32_t frame_bytes = format.channels * (format.bits / 8);
    result<decoded_asset> sound = make(format, file.data.size() / frame_bytes, memory);
    if (!sound) return sound;
    copy(file.data.data(), samples_of(*sound));
    if (format.block_bytes != frame_bytes) {
      sound->warning = "the WAV file states a wrong block size";
    }
    return sound;
  }

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

  static result<decoded_asset> unpack(const wav_file& file, const adpcm& codec,
                                      allocator& memory) noexcept {
    const std::uint32_t channels = file.format.channels;
    const std::uint32_t block_bytes = file.format.block_bytes;
    const std::uint64_t block_frames = codec.frames_in(block_bytes, channels);
    if (block_frames == 0) return fail(errc::corrupt, "invalid WAV block size");
    // The last block may be short, or hold more samples than the sound has. A number that leaves
    // out whole blocks is wrong: libsndfile divides it by the channels.
    const std::uint64_t blocks = file.data.size() / block_bytes;
    const std::uint64_t rest = codec.frames_in(file.data.size() % block_bytes, channels);
    std::uint64_t frames = blocks * block_frames + rest;
    const bool ends_in_last_block = file.stated_frames + block_frames > frames;
    if (ends_in_last_block) frames = std::min(frames, file.stated_frames);
    result<decoded_asset> sound = make(file.format, frames, memory);
    if (!sound) return sound;
    std::int16_t* to = samples_of(*sound).data();
    const std::byte* block = file.data.data();
    for (std::uint64_t left = frames; left > 0; block += block_bytes) {
      const std::uint64_t now = std::min(left, block_frames);
      if (!codec.unpack(block, channels, now, to)) {
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
