// SPDX-License-Identifier: Zlib
//
// Reads numbers in the middle of a text, a word at a time: makes reading fast.
//
// The next number cannot be read before the end of this one is known, and processors mispredict
// lengths and signs. Nothing here that reads decimals of any length branches on either. Floats are
// rounded correctly while the thread rounds to nearest, however the caller is compiled (-ffast-math
// included).
//
// The method, parsing digits in parallel within a word, is the one Lemire describes for fast_float.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "overture/base/detail/simd.hpp"
#include "overture/text/number.hpp"

namespace overture::text::detail {

// The next eight bytes, with digits as 0 to 9, and where the digits end.
struct eight_bytes {
  std::uint64_t digits;
  std::uint64_t non_digits;  // the high bit of each byte that is not a digit; valid up to the first
                             // byte that is not ASCII

  explicit eight_bytes(const char* from) noexcept {
    std::memcpy(&digits, from, sizeof digits);
    digits ^= 0x3030303030303030u;
    // Only bytes that are not ASCII carry into the next byte.
    non_digits = (digits | (digits + 0x7676767676767676u)) & 0x8080808080808080u;
  }
  // The number of leading digits.
  [[nodiscard]] unsigned count() const noexcept {
    return static_cast<unsigned>(std::countr_zero(non_digits)) / 8;
  }
};

// Combines eight digits (0 to 9, the first in the lowest byte) to pairs, to fours, to the number.
inline std::uint64_t eight_digits(std::uint64_t digits) noexcept {
  constexpr std::uint64_t mask = 0x000000FF000000FFu;
  digits = digits * 10 + (digits >> 8);
  return ((digits & mask) * 0x000F424000000064u + (digits >> 16 & mask) * 0x0000271000000001u) >>
         32;
}

inline constexpr double short_divisors[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};

// Numbers of up to seven digits, without a branch on how many. Signs are branches, because numbers
// of one field tend to have the same. Both return the length, or 0 for anything else; the caller
// checks that what follows does not belong to the number.

// With a decimal point.
template <floating T>
inline unsigned read_short_decimal(const char* at, const char* end, T& value) noexcept {
  if (std::endian::native != std::endian::little || end - at < 9) return 0;
  const bool negative = *at == '-';
  if (negative) ++at;
  const eight_bytes bytes(at);
  const std::uint64_t after_point = bytes.non_digits & (bytes.non_digits - 1);
  const unsigned whole = bytes.count();
  if (after_point == 0 || whole == 0 || at[whole] != '.') return 0;
  const unsigned length = static_cast<unsigned>(std::countr_zero(after_point)) / 8;
  const unsigned decimals = length - 1 - whole;
  if (decimals == 0) return 0;
  // All bits below the byte with the point.
  const std::uint64_t before = ((bytes.non_digits & (0 - bytes.non_digits)) >> 7) - 1;
  const std::uint64_t digits = (bytes.digits & before) | (bytes.digits >> 8 & ~before);
  // Both operands are exact, so the quotient is rounded once (Clinger, 1990). For floats, too, it
  // is a double: rounding it again gives the same result (Figueroa, 1995), and compilers
  // approximate only float division.
  const auto scaled = static_cast<std::int32_t>(eight_digits(digits << (9 - length) * 8));
  value = static_cast<T>(static_cast<double>(scaled) / short_divisors[decimals]);
  if (negative) value = -value;
  return length + (negative ? 1 : 0);
}

// Without one.
template <integer T>
inline unsigned read_short_integer(const char* at, const char* end, T& value) noexcept {
  if (std::endian::native != std::endian::little || end - at < 9) return 0;
  const bool negative = std::is_signed_v<T> && *at == '-';
  if (negative) ++at;
  const eight_bytes bytes(at);
  const unsigned count = bytes.count();
  if (count == 0 || count > 7) return 0;
  const auto magnitude = static_cast<std::int64_t>(eight_digits(bytes.digits << (8 - count) * 8));
  const std::int64_t number = negative ? -magnitude : magnitude;
  if constexpr (sizeof(T) < sizeof(std::int32_t)) {
    if (number < std::numeric_limits<T>::min() || number > std::numeric_limits<T>::max()) return 0;
  }
  value = static_cast<T>(number);
  return count + (negative ? 1 : 0);
}

// A bit for each of the next 32 bytes that is not a digit, the first in the lowest bit; valid up to
// the first byte that is not ASCII.
inline std::uint64_t find_non_digits(const char* from) noexcept {
#if defined(OVERTURE_SSE2)
  const auto half = [](const char* at) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    // Values above nine become 128 or more.
    const __m128i non_digits =
        _mm_adds_epu8(_mm_xor_si128(bytes, _mm_set1_epi8('0')), _mm_set1_epi8(127 - 9));
    return static_cast<std::uint32_t>(_mm_movemask_epi8(non_digits));
  };
  return half(from) | half(from + 16) << 16;
#elif defined(OVERTURE_NEON)
  // A bit for each byte, gathered by adding neighbours three times.
  const uint8x16_t bits = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201u));
  const auto half = [bits](const char* at) {
    const uint8x16_t bytes = vld1q_u8(reinterpret_cast<const std::uint8_t*>(at));
    return vandq_u8(vcgtq_u8(veorq_u8(bytes, vdupq_n_u8('0')), vdupq_n_u8(9)), bits);
  };
  uint8x16_t found = vpaddq_u8(half(from), half(from + 16));
  found = vpaddq_u8(found, found);
  found = vpaddq_u8(found, found);
  return vgetq_lane_u32(vreinterpretq_u32_u8(found), 0);
#else
  std::uint32_t found = 0;
  for (unsigned i = 0; i < 32; i += 8) {
    // Gathers the high bits of all bytes in the top byte.
    const std::uint64_t bits = (eight_bytes(from + i).non_digits >> 7) * 0x0102040810204080u >> 56;
    found |= static_cast<std::uint32_t>(bits) << i;
  }
  return found;
#endif
}

// Masks that select the last n of sixteen bytes, and the first n of eight.
struct alignas(64) byte_masks {
  std::uint8_t of[64];  // sixteen zeros, sixteen ones, zeros

  [[nodiscard]] const std::uint8_t* last(std::uint64_t n) const noexcept { return of + n; }
  [[nodiscard]] const std::uint8_t* first(std::uint64_t n) const noexcept { return of + 32 - n; }
};
constexpr byte_masks make_byte_masks() noexcept {
  byte_masks masks{};
  for (unsigned i = 16; i < 32; ++i) masks.of[i] = 0xFF;
  return masks;
}
inline constexpr byte_masks masks_of_bytes = make_byte_masks();

// The digits around a decimal point: those before it in units of 10^8 and of one, those after it in
// units of 10^-8.
struct decimal_parts {
  double high;
  double low;
  double fraction;
};
// Reads 16 bytes before `point` and eight after it.
inline decimal_parts parts_around(const char* point, std::uint64_t whole,
                                  std::uint64_t decimals) noexcept {
#if defined(OVERTURE_SSE2)
  const auto load = [](const void* from) {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
  };
  const auto load_half = [](const void* from) {
    return _mm_loadl_epi64(static_cast<const __m128i*>(from));
  };
  // Hidden from the compiler, which would replace the multiplication by shifts and additions.
  __m128i ten_and_one = _mm_set1_epi16(10 * 256 + 1);
#if defined(OVERTURE_GNU)
  asm("" : "+x"(ten_and_one));
#endif
  // Combines digits to pairs (16 bits), and those to fours (32 bits).
  const auto fours = [ten_and_one](__m128i bytes, __m128i mask) {
    const __m128i digits = _mm_and_si128(_mm_xor_si128(bytes, _mm_set1_epi8('0')), mask);
    const __m128i pairs = _mm_srli_epi16(_mm_mullo_epi16(digits, ten_and_one), 8);
    return _mm_madd_epi16(pairs, _mm_set1_epi32(1 << 16 | 100));
  };
  const __m128i before = fours(load(point - 16), load(masks_of_bytes.last(whole)));
  const __m128i after = fours(load_half(point + 1), load_half(masks_of_bytes.first(decimals)));
  const __m128i eights =
      _mm_madd_epi16(_mm_packs_epi32(before, after), _mm_set1_epi32(1 << 16 | 10'000));
  const __m128d wholes = _mm_cvtepi32_pd(eights);
  return {_mm_cvtsd_f64(wholes), _mm_cvtsd_f64(_mm_unpackhi_pd(wholes, wholes)),
          _mm_cvtsd_f64(_mm_cvtepi32_pd(_mm_unpackhi_epi64(eights, eights)))};
#elif defined(OVERTURE_NEON)
  // Combines digits to pairs, to fours, to eights.
  const auto eights = [](uint8x16_t bytes, uint8x16_t mask) {
    const uint8x16_t digits = vandq_u8(veorq_u8(bytes, vdupq_n_u8('0')), mask);
    const uint8x16_t tens = vreinterpretq_u8_u16(vdupq_n_u16(1 << 8 | 10));
    const uint16x8_t hundreds = vreinterpretq_u16_u32(vdupq_n_u32(1 << 16 | 100));
    const uint32x4_t myriads = vreinterpretq_u32_u64(vdupq_n_u64(std::uint64_t{1} << 32 | 10'000));
    const uint16x8_t pairs = vpaddlq_u8(vmulq_u8(digits, tens));
    const uint32x4_t fours = vpaddlq_u16(vmulq_u16(pairs, hundreds));
    return vcvtq_f64_u64(vpaddlq_u32(vmulq_u32(fours, myriads)));
  };
  const auto load = [](const void* from) {
    return vld1q_u8(static_cast<const std::uint8_t*>(from));
  };
  const auto load_half = [](const void* from) {
    return vcombine_u8(vld1_u8(static_cast<const std::uint8_t*>(from)), vdup_n_u8(0));
  };
  const float64x2_t wholes = eights(load(point - 16), load(masks_of_bytes.last(whole)));
  const float64x2_t fraction =
      eights(load_half(point + 1), load_half(masks_of_bytes.first(decimals)));
  return {vgetq_lane_f64(wholes, 0), vgetq_lane_f64(wholes, 1), vgetq_lane_f64(fraction, 0)};
#else
  const auto eight = [](const char* from, const std::uint8_t* mask_from) {
    std::uint64_t digits = 0;
    std::uint64_t mask = 0;
    std::memcpy(&digits, from, sizeof digits);
    std::memcpy(&mask, mask_from, sizeof mask);
    const std::uint64_t value = eight_digits((digits ^ 0x3030303030303030u) & mask);
    return static_cast<double>(static_cast<std::int32_t>(value));
  };
  const std::uint8_t* const mask = masks_of_bytes.last(whole);
  return {eight(point - 16, mask), eight(point - 8, mask + 8),
          eight(point + 1, masks_of_bytes.first(decimals))};
#endif
}

// Rounds to the nearest float. False if that is uncertain: `value` may be off by four units in the
// last place, and lies that close to the middle between two floats.
inline bool round_once(double value, float& rounded) noexcept {
  constexpr int dropped = float_layout<double>::mantissa_bits - float_layout<float>::mantissa_bits;
  constexpr std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  constexpr std::uint64_t wrong_max = 4;
  const std::uint64_t below = std::bit_cast<std::uint64_t>(value) & (2 * half - 1);
  rounded = static_cast<float>(value);
  return below - (half - wrong_max) > 2 * wrong_max;
}

// A decimal with a point, up to sixteen digits before it and up to eight after. Returns the end, or
// null for anything else and for the few numbers that might be rounded wrongly. Reads 16 bytes
// before the number and 32 from its start. Inlined so that its constants stay in registers.
template <floating T>
[[gnu::always_inline]] inline const char* read_decimal(const char* at, T& value) noexcept {
  if constexpr (std::endian::native != std::endian::little) return nullptr;
  const std::uint64_t negative = *at == '-' ? 1 : 0;
  const std::uint64_t non_digits = find_non_digits(at) ^ negative;
  const std::uint64_t after_point = non_digits & (non_digits - 1);
  if (after_point == 0) return nullptr;
  const std::uint64_t before = overture::detail::lowest_bit(non_digits);
  const std::uint64_t length = overture::detail::lowest_bit(after_point);
  const std::uint64_t whole = before - negative;
  const std::uint64_t decimals = length - before - 1;
  if (whole - 1 >= 16 || decimals - 1 >= 8 || at[before] != '.') return nullptr;
  const decimal_parts parts = parts_around(at + before, whole, decimals);
  const double number = parts.high * 1e8 + parts.low;
  if constexpr (std::is_same_v<T, float>) {
    // Four roundings: of 10^-8, of the product, of the first sum and of the second.
    float nearest = 0;
    if (!round_once(number + parts.fraction * 1e-8, nearest)) return nullptr;
    value = std::bit_cast<float>(std::bit_cast<std::uint32_t>(nearest) |
                                 static_cast<std::uint32_t>(negative) << 31);
  } else {
    // All but the last quotient are exact, so it is rounded once (Clinger, 1990).
    if (whole + decimals > std::numeric_limits<double>::digits10) return nullptr;
    const double power = short_divisors[decimals];
    const double scaled = number * power + parts.fraction / short_divisors[8 - decimals];
    value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(scaled / power) | negative << 63);
  }
  return at + length;
}

}  // namespace overture::text::detail
