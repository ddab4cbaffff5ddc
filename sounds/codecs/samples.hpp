// SPDX-License-Identifier: Zlib
//
// Samples in the two forms that a ring may have. Floats become integers as libvorbisfile does it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "overture/base/detail/simd.hpp"
#include "overture/sounds/sound_stream.hpp"

namespace overture::sounds_detail {

[[nodiscard]] constexpr std::size_t bytes_of(sound_samples samples) noexcept {
  return samples == sound_samples::float32 ? sizeof(float) : sizeof(std::int16_t);
}

// Rounds by an addition, after which the number is in the lowest bits: a third of the time that
// std::lrint() takes, with the same result. What is no number becomes the lowest, as in
// libvorbisfile.
[[nodiscard]] inline std::int16_t to_int16(float sample) noexcept {
  constexpr float shift = 3 << 22;
  const float scaled = sample * 32768.0f;
  const float above = scaled > -32768.0f ? scaled : -32768.0f;
  const float within = above < 32767.0f ? above : 32767.0f;
  return static_cast<std::int16_t>(std::bit_cast<std::uint32_t>(within + shift));
}
[[nodiscard]] constexpr float to_float(std::int16_t sample) noexcept {
  return static_cast<float>(sample) * (1.0f / 32768.0f);
}

// Room for frames, and how they are to be written.
struct frame_room {
  std::byte* to = nullptr;
  std::size_t frames = 0;
  std::uint32_t channels = 0;
  sound_samples samples = sound_samples::float32;

  [[nodiscard]] std::size_t frame_bytes() const noexcept { return channels * bytes_of(samples); }
  [[nodiscard]] frame_room after(std::size_t count) const noexcept {
    return {to + count * frame_bytes(), frames - count, channels, samples};
  }
  [[nodiscard]] float* floats() const noexcept { return reinterpret_cast<float*>(to); }
  [[nodiscard]] std::int16_t* integers() const noexcept {
    return reinterpret_cast<std::int16_t*>(to);
  }
  void write_silence(std::size_t count) const noexcept {
    if (count != 0) std::memset(to, 0, count * frame_bytes());
  }
};

// Interleave as many frames of two channels as whole vectors hold, and return how many: nearly all
// music is stereo, and one sample at a time this takes a twentieth of what decoding does.
inline std::size_t interleave_vectors(float* to, const float* left, const float* right,
                                      std::size_t count) noexcept {
  std::size_t i = 0;
#if defined(OVERTURE_SSE2)
  for (; i + 4 <= count; i += 4) {
    const __m128 a = _mm_loadu_ps(left + i);
    const __m128 b = _mm_loadu_ps(right + i);
    _mm_storeu_ps(to + 2 * i, _mm_unpacklo_ps(a, b));
    _mm_storeu_ps(to + 2 * i + 4, _mm_unpackhi_ps(a, b));
  }
#elif defined(OVERTURE_NEON)
  for (; i + 4 <= count; i += 4) {
    vst2q_f32(to + 2 * i, {{vld1q_f32(left + i), vld1q_f32(right + i)}});
  }
#else
  (void)to, (void)left, (void)right, (void)count;
#endif
  return i;
}
inline std::size_t interleave_vectors(std::int16_t* to, const float* left, const float* right,
                                      std::size_t count) noexcept {
  std::size_t i = 0;
#if defined(OVERTURE_SSE2)
  // The minimum is the second operand if one is no number; packing cuts below.
  const auto whole = [](const float* from) {
    const __m128 scaled = _mm_mul_ps(_mm_loadu_ps(from), _mm_set1_ps(32768.0f));
    return _mm_cvtps_epi32(_mm_min_ps(_mm_set1_ps(32767.0f), scaled));
  };
  for (; i + 4 <= count; i += 4) {
    const __m128i a = whole(left + i);
    const __m128i b = whole(right + i);
    const __m128i pairs = _mm_packs_epi32(_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 2 * i), pairs);
  }
#elif defined(OVERTURE_NEON)
  const auto whole = [](const float* from) {
    return vqmovn_s32(vcvtnq_s32_f32(vmulq_n_f32(vld1q_f32(from), 32768.0f)));
  };
  for (; i + 4 <= count; i += 4) vst2_s16(to + 2 * i, {{whole(left + i), whole(right + i)}});
#else
  (void)to, (void)left, (void)right, (void)count;
#endif
  return i;
}

// Writes `count` frames of one array for each channel.
template <class Sample, class Convert>
void interleave_planes(Sample* to, std::uint32_t channels, const float* const* planes,
                       std::size_t first, std::size_t count, Convert convert) noexcept {
  if (channels == 2) {
    const float* const left = planes[0] + first;
    const float* const right = planes[1] + first;
    for (std::size_t i = interleave_vectors(to, left, right, count); i < count; ++i) {
      to[2 * i] = convert(left[i]);
      to[2 * i + 1] = convert(right[i]);
    }
    return;
  }
  for (std::uint32_t channel = 0; channel < channels; ++channel) {
    const float* const from = planes[channel] + first;
    for (std::size_t i = 0; i < count; ++i) to[i * channels + channel] = convert(from[i]);
  }
}
inline void write_planes(const frame_room& room, const float* const* planes, std::size_t first,
                         std::size_t count) noexcept {
  if (room.samples == sound_samples::float32) {
    interleave_planes(room.floats(), room.channels, planes, first, count,
                      [](float sample) { return sample; });
  } else {
    interleave_planes(room.integers(), room.channels, planes, first, count,
                      [](float sample) { return to_int16(sample); });
  }
}

// Writes interleaved samples.
inline void write_interleaved(const frame_room& room, const float* from,
                              std::size_t count) noexcept {
  const std::size_t samples = count * room.channels;
  if (samples == 0) return;
  if (room.samples == sound_samples::float32) {
    std::memcpy(room.to, from, samples * sizeof(float));
  } else {
    std::transform(from, from + samples, room.integers(),
                   [](float sample) { return to_int16(sample); });
  }
}

}  // namespace overture::sounds_detail
