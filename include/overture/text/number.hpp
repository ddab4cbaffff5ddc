// SPDX-License-Identifier: Zlib
//
// Numbers as text and back, without allocation, lock or locale.
//
//   char buffer[text::fixed_room<float>(2)];
//   char* const end = text::write_fixed<2>(buffer, 3.14159f);    // "3.14"
//   float value = 0;
//   auto [next, ok] = text::read_number(buffer, end, value);
//
// The output is byte for byte that of printf in the C locale: "%d", "%x", "%.2f". Decimals are
// rounded correctly, ties to even, whatever the rounding mode of the thread and however the caller
// is compiled (-ffast-math included), because only integer arithmetic is used.
//
// Cost: 2 to 5 ns for a number of ordinary size; 20 to 100 ns where std::to_chars takes over: for
// more than nine decimals, results of 2^64 and above, and shortest forms of values below 0.002 or
// above 100,000.
//
// Buffers: writers may store up to `text::slack` bytes beyond the end that they return. The
// *_room() functions give buffer sizes with this slack, *_bytes_max() the longest text without it.
// Writers return the end of the text and write no NUL.
//
// Threads: any thread may call any function.
//
// Fixed decimals work by exact scaling (Steele and White, 1990): a float is m * 2^e with m below
// 2^24, so m * 10^p is an exact integer; shifted right by -e and rounded once it is, for p = 2, the
// number of hundredths, and what remains is printing an integer. The shortest form uses the same
// integers: it tries the nearest decimal of few digits first, and takes the first decimal that lies
// within half the gap to the neighbouring floats.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "overture/base/api.hpp"
#include "overture/base/detail/compiler.hpp"

namespace overture::text {

// How many bytes a writer may touch beyond the text that it has written.
inline constexpr std::size_t slack = 16;

template <class T>
concept integer = std::is_integral_v<T> && !std::is_same_v<std::remove_cv_t<T>, bool> &&
                  sizeof(T) <= sizeof(std::uint64_t);  // GNU extensions have longer ones
template <class T>
concept floating =
    std::is_same_v<std::remove_cv_t<T>, float> || std::is_same_v<std::remove_cv_t<T>, double>;

// The longest text of a T in bytes (*_bytes_max), and the buffer that its writer needs (*_room).
template <integer T>
[[nodiscard]] constexpr std::size_t integer_bytes_max() noexcept {
  return std::numeric_limits<T>::digits10 + 1 + (std::is_signed_v<T> ? 1 : 0);
}
template <floating T>
[[nodiscard]] constexpr std::size_t fixed_bytes_max(int decimals) noexcept {
  return std::numeric_limits<T>::max_exponent10 + 3 + static_cast<std::size_t>(decimals);
}
template <floating T>
inline constexpr std::size_t shortest_bytes_max = std::is_same_v<T, float> ? 16 : 24;

template <integer T>
[[nodiscard]] constexpr std::size_t integer_room() noexcept {
  return integer_bytes_max<T>() + slack;
}
template <integer T>
[[nodiscard]] constexpr std::size_t hex_room() noexcept {
  return sizeof(T) * 2 + slack;
}
template <floating T>
[[nodiscard]] constexpr std::size_t fixed_room(int decimals) noexcept {
  return fixed_bytes_max<T>(decimals) + slack;
}
template <floating T>
[[nodiscard]] constexpr std::size_t shortest_room() noexcept {
  return shortest_bytes_max<T> + slack;
}

namespace detail {

// The three digits of 0 to 999, and how many of them are leading zeros.
struct three_digits {
  char digits[3];
  std::uint8_t zeros;
};
struct digit_table {
  three_digits of[1001];  // the last one is padding: copies of four bytes read into it
};
constexpr digit_table make_digit_table() noexcept {
  digit_table table{};
  for (unsigned i = 0; i < 1000; ++i) {
    three_digits& entry = table.of[i];
    entry.digits[0] = static_cast<char>('0' + i / 100);
    entry.digits[1] = static_cast<char>('0' + i / 10 % 10);
    entry.digits[2] = static_cast<char>('0' + i % 10);
    entry.zeros = i >= 100 ? 0 : i >= 10 ? 1 : 2;
  }
  return table;
}
inline constexpr digit_table three_digit_texts = make_digit_table();

// Without leading zeros; `value` is below 1000. Stores four bytes.
inline char* write_leading(char* out, std::uint64_t value) noexcept {
  const three_digits& entry = three_digit_texts.of[value];
  const auto* const bytes = reinterpret_cast<const char*>(&entry);
  std::memcpy(out, bytes + entry.zeros, 4);
  return out + 3 - entry.zeros;
}
// All three digits; `value` is below 1000. Stores four bytes.
inline char* write_three(char* out, std::uint64_t value) noexcept {
  std::memcpy(out, &three_digit_texts.of[value], 4);
  return out + 3;
}

inline char* write_six(char* out, std::uint64_t value) noexcept {
  return write_three(write_three(out, value / 1000), value % 1000);
}
inline char* write_nine(char* out, std::uint64_t value) noexcept {
  return write_six(write_three(out, value / 1'000'000), value % 1'000'000);
}
inline char* write_below_billion(char* out, std::uint64_t value) noexcept {
  if (value < 1000) return write_leading(out, value);
  if (value < 1'000'000) return write_three(write_leading(out, value / 1000), value % 1000);
  return write_six(write_leading(out, value / 1'000'000), value % 1'000'000);
}
inline char* write_unsigned(char* out, std::uint64_t value) noexcept {
  constexpr std::uint64_t billion = 1'000'000'000;
  if (value < billion) return write_below_billion(out, value);
  const std::uint64_t billions = value / billion;
  if (billions < billion) return write_nine(write_below_billion(out, billions), value % billion);
  out = write_below_billion(out, billions / billion);
  return write_nine(write_nine(out, billions % billion), value % billion);
}

constexpr std::uint64_t power_of_ten(int exponent) noexcept {
  std::uint64_t value = 1;
  while (exponent-- > 0) value *= 10;
  return value;
}

// The lowest `Decimals` digits of `value`, leading zeros included.
template <int Decimals>
inline char* write_decimals(char* out, std::uint64_t value) noexcept {
  if constexpr (Decimals > 3) {
    constexpr std::uint64_t divisor = power_of_ten(Decimals - 3);
    out = write_three(out, value / divisor);
    return write_decimals<Decimals - 3>(out, value % divisor);
  } else {
    const three_digits& entry = three_digit_texts.of[value];
    std::memcpy(out, entry.digits + (3 - Decimals), Decimals);
    return out + Decimals;
  }
}

using overture::detail::uint128;  // for doubles with many decimals

template <class T>
struct float_layout;
template <>
struct float_layout<float> {
  using bits = std::uint32_t;
  static constexpr int mantissa_bits = 23;
  static constexpr int exponent_mask = 0xFF;
  static constexpr int bias = 150;  // value = mantissa * 2^(exponent - bias)
};
template <>
struct float_layout<double> {
  using bits = std::uint64_t;
  static constexpr int mantissa_bits = 52;
  static constexpr int exponent_mask = 0x7FF;
  static constexpr int bias = 1075;
};

// Taken from the bits: -ffast-math may break std::isnan and comparisons.
template <floating T>
struct float_parts {
  using layout = float_layout<T>;
  bool negative;
  int exponent;  // of two; layout::exponent_mask - bias for infinities and NaN
  std::uint64_t mantissa;

  explicit float_parts(T value) noexcept {
    const auto bits = std::bit_cast<typename layout::bits>(value);
    const auto field = static_cast<int>(bits >> layout::mantissa_bits) & layout::exponent_mask;
    constexpr auto one = std::uint64_t{1} << layout::mantissa_bits;
    negative = (bits >> (sizeof(T) * 8 - 1)) != 0;
    mantissa = (bits & (one - 1)) | (field != 0 ? one : 0);
    exponent = (field != 0 ? field : 1) - layout::bias;
  }
};

// value >> shift, rounded to nearest, ties to even; 1 <= shift < width, and the top bit of `value`
// is clear.
template <class U>
inline U shift_rounded(U value, int shift) noexcept {
  const U odd = (value >> shift) & 1;
  return (value + ((U{1} << (shift - 1)) - 1) + odd) >> shift;
}

// mantissa * 2^exponent * 10^Decimals, rounded. False if that does not fit into 64 bits.
template <int Decimals, floating T>
inline bool scale(const float_parts<T>& split, std::uint64_t& scaled) noexcept {
  constexpr std::uint64_t power = power_of_ten(Decimals);
  // A float's product, and a double's with few decimals, stays below 2^63.
  constexpr bool narrow = float_layout<T>::mantissa_bits + 1 + std::bit_width(power) <= 63;
  if (split.exponent >= 0) {
    if constexpr (!narrow) return false;
    const std::uint64_t product = split.mantissa * power;
    if (split.exponent >= std::countl_zero(product)) return false;
    scaled = product << split.exponent;
    return true;
  }
  const int shift = -split.exponent;
  if constexpr (narrow) {
    const std::uint64_t product = split.mantissa * power;
    if constexpr (float_layout<T>::mantissa_bits + 1 + std::bit_width(power) < 63) {
      // The product is below 2^62, so a shift by 63 gives zero just as longer ones would. This
      // saves a branch that half of all bit patterns would take.
      scaled = shift_rounded(product, shift < 63 ? shift : 63);
    } else {
      scaled = shift < 64 ? shift_rounded(product, shift) : 0;
    }
    return true;
  } else {
    const uint128 result = shift < 128 ? shift_rounded(uint128{split.mantissa} * power, shift) : 0;
    scaled = static_cast<std::uint64_t>(result);
    return (result >> 64) == 0;
  }
}

OVERTURE_API char* write_fixed_slow(char* out, float value, int decimals) noexcept;
OVERTURE_API char* write_fixed_slow(char* out, double value, int decimals) noexcept;
OVERTURE_API char* write_shortest_slow(char* out, float value) noexcept;
OVERTURE_API char* write_shortest_slow(char* out, double value) noexcept;
struct decimal {
  std::uint64_t whole;
  std::uint64_t fraction;  // in units of the last place
  int places;
};
OVERTURE_API bool shortest_decimal(const float_parts<float>& split, decimal& found) noexcept;
OVERTURE_API bool shortest_decimal(const float_parts<double>& split, decimal& found) noexcept;
OVERTURE_API char* write_decimal(char* out, const decimal& value) noexcept;

struct hex_pair_table {
  char of[256][2];
};
constexpr hex_pair_table make_hex_pairs() noexcept {
  hex_pair_table table{};
  for (unsigned i = 0; i < 256; ++i) {
    table.of[i][0] = "0123456789abcdef"[i >> 4];
    table.of[i][1] = "0123456789abcdef"[i & 15];
  }
  return table;
}
inline constexpr hex_pair_table hex_pairs = make_hex_pairs();

}  // namespace detail

// -- writing --

// As "%d", "%llu" and so on. Needs integer_room<T>() bytes.
template <integer T>
inline char* write_integer(char* out, T value) noexcept {
  std::uint64_t magnitude = static_cast<std::make_unsigned_t<T>>(value);
  if constexpr (std::is_signed_v<T>) {
    const bool negative = value < 0;
    *out = '-';
    out += negative ? 1 : 0;
    const auto wide = static_cast<std::int64_t>(value);
    magnitude = negative ? std::uint64_t{0} - static_cast<std::uint64_t>(wide)
                         : static_cast<std::uint64_t>(wide);
  }
  return detail::write_unsigned(out, magnitude);
}

// As "%x": lower case, no prefix, negative numbers in two's complement. Needs hex_room<T>() bytes.
template <integer T>
inline char* write_hex(char* out, T value) noexcept {
  const std::uint64_t bits = static_cast<std::make_unsigned_t<T>>(value);
  int bytes = bits == 0 ? 1 : (71 - std::countl_zero(bits)) / 8;
  const auto first = static_cast<std::size_t>(bits >> (8 * (bytes - 1)));
  const bool one_digit = first < 16;
  const char* const pair = detail::hex_pairs.of[first];
  out[0] = one_digit ? pair[1] : pair[0];
  out[1] = pair[1];
  out += one_digit ? 1 : 2;
  for (bytes -= 1; bytes > 0; --bytes, out += 2) {
    std::memcpy(out, detail::hex_pairs.of[(bits >> (8 * (bytes - 1))) & 0xFF], 2);
  }
  return out;
}

// As "%.*f" with 0 to 64 decimals. NaN is "nan" or "-nan", infinity "inf" or "-inf", and -0.0 keeps
// its sign ("-0.00"). Needs fixed_room<T>(Decimals) bytes.
template <int Decimals, floating T>
inline char* write_fixed(char* out, T value) noexcept {
  static_assert(Decimals >= 0 && Decimals <= 64, "the number of decimals must be 0 to 64");
  if constexpr (Decimals > 9) {
    return detail::write_fixed_slow(out, value, Decimals);
  } else {
    const detail::float_parts<T> split(value);
    std::uint64_t scaled = 0;
    if (!detail::scale<Decimals>(split, scaled)) [[unlikely]] {
      return detail::write_fixed_slow(out, value, Decimals);
    }
    *out = '-';
    out += split.negative ? 1 : 0;
    if constexpr (Decimals == 0) return detail::write_unsigned(out, scaled);
    constexpr std::uint64_t power = detail::power_of_ten(Decimals);
    out = detail::write_unsigned(out, scaled / power);
    *out++ = '.';
    return detail::write_decimals<Decimals>(out, scaled % power);
  }
}
// The same with the number of decimals (0 to 64) given at run time.
OVERTURE_API char* write_fixed(char* out, float value, int decimals) noexcept;
OVERTURE_API char* write_fixed(char* out, double value, int decimals) noexcept;

// The shortest text that read_number() turns back into the same bits, as std::to_chars writes it:
// plain or with an exponent, whichever is shorter. Needs shortest_room<T>() bytes.
template <floating T>
inline char* write_shortest(char* out, T value) noexcept {
  const detail::float_parts<T> split(value);
  detail::decimal found{};
  if (!detail::shortest_decimal(split, found)) return detail::write_shortest_slow(out, value);
  *out = '-';
  return detail::write_decimal(out + (split.negative ? 1 : 0), found);
}

// -- reading --

struct parsed_number {
  const char* next;  // one past the number; where reading began if there is none
  bool ok;           // false if there is no number, or one out of range for T
};

// Reads a number at the start of [first, last), as the writers above write it: an optional minus
// and digits; for floats also a point, an exponent, "nan" and "inf". No white space, no plus, no
// "0x". Floats are rounded correctly, to nearest, from any number of digits; on x86-64 and ARM64
// whatever the rounding mode of the thread, elsewhere in the default mode only: those that are too
// small become the nearest subnormal number or 0. Integers out of range, and floats that overflow,
// are not ok. If not ok, `value` is unchanged.
[[nodiscard]] OVERTURE_API parsed_number read_number(const char* first, const char* last,
                                                     float& value) noexcept;
[[nodiscard]] OVERTURE_API parsed_number read_number(const char* first, const char* last,
                                                     double& value) noexcept;
[[nodiscard]] OVERTURE_API parsed_number read_signed(const char* first, const char* last,
                                                     std::int64_t& value) noexcept;
[[nodiscard]] OVERTURE_API parsed_number read_unsigned(const char* first, const char* last,
                                                       std::uint64_t& value) noexcept;
[[nodiscard]] OVERTURE_API parsed_number read_hex(const char* first, const char* last,
                                                  std::uint64_t& value) noexcept;

template <integer T>
[[nodiscard]] parsed_number read_number(const char* first, const char* last, T& value) noexcept {
  using widest = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  widest read = 0;
  parsed_number end{};
  if constexpr (std::is_signed_v<T>) {
    end = read_signed(first, last, read);
  } else {
    end = read_unsigned(first, last, read);
  }
  if (end.ok && (read < std::numeric_limits<T>::min() || read > std::numeric_limits<T>::max())) {
    end.ok = false;
  }
  if (end.ok) value = static_cast<T>(read);
  return end;
}

}  // namespace overture::text
