// SPDX-License-Identifier: Zlib
#include "decoders/adpcm.hpp"

#include <algorithm>
#include <array>

#include "base/little_endian.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

namespace {

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

std::uint64_t frames_in_ima(std::uint64_t block_bytes, std::uint32_t channels) noexcept {
  const std::uint64_t words_bytes = std::uint64_t{channels} * 4;
  return block_bytes < words_bytes ? 0 : 1 + (block_bytes / words_bytes - 1) * 8;
}

// A block: one sample per channel, then words of eight samples, the channels alternating.
bool unpack_ima(const std::byte* block, std::uint32_t channels, std::uint64_t frames,
                std::int16_t* to) noexcept {
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

// Microsoft's ADPCM: a sample is predicted from the two before it, and each 4-bit code is the
// distance from that, in steps whose size follows the codes.
class ms_channel {
 public:
  // Takes the channel's part of a block's header. False if there is no such predictor.
  [[nodiscard]] bool begin(const std::byte* block, std::uint32_t channels,
                           std::uint32_t channel) noexcept {
    const std::uint32_t predictor = load_u8(block + channel);
    if (predictor >= coefficients.size()) return false;
    weights_ = coefficients[predictor];
    const std::byte* const numbers = block + channels + std::size_t{channel} * 2;
    step_ = load_i16(numbers);
    last_ = load_i16(numbers + std::size_t{channels} * 2);
    before_ = load_i16(numbers + std::size_t{channels} * 4);
    return true;
  }
  [[nodiscard]] std::int16_t last() const noexcept { return static_cast<std::int16_t>(last_); }
  [[nodiscard]] std::int16_t before() const noexcept { return static_cast<std::int16_t>(before_); }
  [[nodiscard]] std::int16_t next(unsigned code) noexcept {
    static constexpr std::array<int, 16> growth = {230, 230, 230, 230, 307, 409, 512, 614,
                                                   768, 614, 512, 409, 307, 230, 230, 230};
    constexpr int step_max = 1 << 20;  // beyond that every sample is clamped
    const int distance = code < 8 ? static_cast<int>(code) : static_cast<int>(code) - 16;
    const int predicted = (last_ * weights_[0] + before_ * weights_[1]) >> 8;
    before_ = last_;
    last_ = std::clamp(predicted + distance * step_, -32768, 32767);
    step_ = std::clamp(growth[code] * step_ >> 8, 16, step_max);
    return last();
  }

 private:
  static constexpr std::array<std::array<int, 2>, 7> coefficients = {
      {{256, 0}, {512, -256}, {0, 0}, {192, 64}, {240, 0}, {460, -208}, {392, -232}}};

  std::array<int, 2> weights_{};
  int step_ = 0;
  int last_ = 0;
  int before_ = 0;  // the last
};

constexpr std::uint32_t ms_header_bytes = 7;  // of each channel

std::uint64_t frames_in_ms(std::uint64_t block_bytes, std::uint32_t channels) noexcept {
  const std::uint64_t header = std::uint64_t{channels} * ms_header_bytes;
  return block_bytes < header ? 0 : 2 + (block_bytes - header) * 2 / channels;
}

// A block: the header, then the codes, upper half of a byte first, the channels alternating.
bool unpack_ms(const std::byte* block, std::uint32_t channels, std::uint64_t frames,
               std::int16_t* to) noexcept {
  const std::byte* const codes = block + std::size_t{channels} * ms_header_bytes;
  for (std::uint32_t channel = 0; channel < channels; ++channel) {
    ms_channel state;
    if (!state.begin(block, channels, channel)) return false;
    to[channel] = state.before();
    if (frames > 1) to[channels + channel] = state.last();
    for (std::uint64_t frame = 2; frame < frames; ++frame) {
      const std::uint64_t place = (frame - 2) * channels + channel;
      const std::uint32_t pair = load_u8(codes + place / 2);
      to[frame * channels + channel] = state.next(place % 2 == 0 ? pair >> 4 : pair & 15);
    }
  }
  return true;
}

}  // namespace

const adpcm ima_adpcm{frames_in_ima, unpack_ima};
const adpcm ms_adpcm{frames_in_ms, unpack_ms};

}  // namespace overture::decoders_detail
