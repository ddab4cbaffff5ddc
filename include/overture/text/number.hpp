// Numbers as text and back, without an allocation, a lock or a locale.
//
//   char room[text::fixed_room<float>(2)];
//   char* const end = text::write_fixed<2>(room, 3.14159f);      // "3.14"
//   float value = 0;
//   auto [next, ok] = text::read_number(room, end, value);
//
// What is written is what C's printf family writes in the C locale, byte for byte: "%.2f", "%d",
// "%x". Decimals are rounded correctly, ties to even, whatever the rounding mode of the thread and
// however the caller is compiled (-ffast-math too): only integers are calculated with.
//
// How, for fixed decimals: a float is m * 2^e with m below 2^24, so m * 10^p is an exact integer;
// shifted right by -e and rounded once it is the number of hundredths (for p = 2), and the rest is
// printing an integer. That holds for up to nine decimals and results below 2^64; std::to_chars
// does the others. Source of the idea: exact scaling by 10^p = 2^p * 5^p, as Steele and White
// (1990) scale. The shortest form takes the same integers: a decimal names a number if it lies
// within half of the gap to the next one, and the nearest decimal of few digits is looked at before
// those of more.
//
// Cost: 2 to 5 ns for a number of ordinary size, 20 to 100 ns where std::to_chars is asked.
//
// Room: functions that write may store up to `text::slack` bytes beyond the end they return, so
// the caller gives them the room that *_room() says, which includes that, not just the length.
// All functions: any thread.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace overture::text {

// Bytes that a writer may touch behind what it has written.
inline constexpr std::size_t slack = 16;

template <class T>
concept integer = std::is_integral_v<T> && !std::is_same_v<std::remove_cv_t<T>, bool> &&
                  sizeof(T) <= sizeof(std::uint64_t);  // with extensions there are longer ones
template <class T>
concept floating =
    std::is_same_v<std::remove_cv_t<T>, float> || std::is_same_v<std::remove_cv_t<T>, double>;

// The most bytes that the text of a T has, and the room that its writer needs.
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

// The digits of 0 to 999, and how many zeros lead them.
struct three_digits {
  char digits[3];
  std::uint8_t zeros;
};
struct digit_table {
  three_digits of[1001];  // the last is never written, but may be read over
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

// Without leading zeros; `value` below 1000. Stores four bytes.
inline char* write_head(char* out, std::uint64_t value) noexcept {
  const three_digits& entry = three_digit_texts.of[value];
  const auto* const bytes = reinterpret_cast<const char*>(&entry);
  std::memcpy(out, bytes + entry.zeros, 4);
  return out + 3 - entry.zeros;
}
// All three; `value` below 1000. Stores four bytes.
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
  if (value < 1000) return write_head(out, value);
  if (value < 1'000'000) return write_three(write_head(out, value / 1000), value % 1000);
  return write_six(write_head(out, value / 1'000'000), value % 1'000'000);
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

// The lowest `Decimals` digits of `value`, zeros in front included.
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

// Twice the width, for doubles with many decimals.
__extension__ using wide = unsigned __int128;

template <class T>
struct parts_of;
template <>
struct parts_of<float> {
  using bits = std::uint32_t;
  static constexpr int mantissa_bits = 23;
  static constexpr int exponent_mask = 0xFF;
  static constexpr int bias = 150;  // value = mantissa * 2^(exponent - bias)
};
template <>
struct parts_of<double> {
  using bits = std::uint64_t;
  static constexpr int mantissa_bits = 52;
  static constexpr int exponent_mask = 0x7FF;
  static constexpr int bias = 1075;
};

// Bits, not std::isnan or a comparison: those are what -ffast-math may change.
template <floating T>
struct parts {
  using layout = parts_of<T>;
  bool negative;
  int exponent;  // of two; layout::exponent_mask - bias for infinities and what is no number
  std::uint64_t mantissa;

  explicit parts(T value) noexcept {
    const auto bits = std::bit_cast<typename layout::bits>(value);
    const auto field = static_cast<int>(bits >> layout::mantissa_bits) & layout::exponent_mask;
    constexpr auto one = std::uint64_t{1} << layout::mantissa_bits;
    negative = (bits >> (sizeof(T) * 8 - 1)) != 0;
    mantissa = (bits & (one - 1)) | (field != 0 ? one : 0);
    exponent = (field != 0 ? field : 1) - layout::bias;
  }
};

// value >> shift, rounded to nearest, ties to even; 1 <= shift < the width, value in the lower
// half.
template <class U>
inline U shift_rounded(U value, int shift) noexcept {
  const U odd = (value >> shift) & 1;
  return (value + ((U{1} << (shift - 1)) - 1) + odd) >> shift;
}

// mantissa * 2^exponent * 10^Decimals, rounded. False if it has no room here.
template <int Decimals, floating T>
inline bool scale(const parts<T>& of, std::uint64_t& scaled) noexcept {
  constexpr std::uint64_t power = power_of_ten(Decimals);
  // A float's product, and a double's with few decimals, stays below 2^63.
  constexpr bool narrow = parts_of<T>::mantissa_bits + 1 + std::bit_width(power) <= 63;
  if (of.exponent >= 0) {
    if constexpr (!narrow) return false;
    const std::uint64_t product = of.mantissa * power;
    if (of.exponent >= std::countl_zero(product)) return false;
    scaled = product << of.exponent;
    return true;
  }
  const int shift = -of.exponent;
  if constexpr (narrow) {
    const std::uint64_t product = of.mantissa * power;
    if constexpr (parts_of<T>::mantissa_bits + 1 + std::bit_width(power) < 63) {
      // Below half of 2^63 a shift by 63 gives zero, as longer ones would: no branch that half of
      // all bit patterns take.
      scaled = shift_rounded(product, shift < 63 ? shift : 63);
    } else {
      scaled = shift < 64 ? shift_rounded(product, shift) : 0;
    }
    return true;
  } else {
    const wide result = shift < 128 ? shift_rounded(wide{of.mantissa} * power, shift) : 0;
    scaled = static_cast<std::uint64_t>(result);
    return result >> 64 == 0;
  }
}

char* write_fixed_slow(char* out, float value, int decimals) noexcept;
char* write_fixed_slow(char* out, double value, int decimals) noexcept;
char* write_shortest_slow(char* out, float value) noexcept;
char* write_shortest_slow(char* out, double value) noexcept;
struct decimal {
  std::uint64_t whole;
  std::uint64_t fraction;  // in units of the last place
  int places;
};
bool shortest_decimal(const parts<float>& of, decimal& found) noexcept;
bool shortest_decimal(const parts<double>& of, decimal& found) noexcept;
char* write_decimal(char* out, const decimal& value) noexcept;

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

// "%d", "%llu" and so on. Room: integer_room<T>().
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

// "%x": lower case, no prefix; negative numbers as their two's complement. Room: hex_room<T>().
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

// "%.*f" with this many decimals (0 to 64). What is no number comes out as "nan" or "-nan",
// infinities as "inf" or "-inf", -0.0 as "-0.00". Room: fixed_room<T>(Decimals).
template <int Decimals, floating T>
inline char* write_fixed(char* out, T value) noexcept {
  static_assert(Decimals >= 0 && Decimals <= 64, "decimals are 0 to 64");
  if constexpr (Decimals > 9) {
    return detail::write_fixed_slow(out, value, Decimals);
  } else {
    const detail::parts<T> of(value);
    std::uint64_t scaled = 0;
    if (!detail::scale<Decimals>(of, scaled)) [[unlikely]] {
      return detail::write_fixed_slow(out, value, Decimals);
    }
    *out = '-';
    out += of.negative ? 1 : 0;
    if constexpr (Decimals == 0) return detail::write_unsigned(out, scaled);
    constexpr std::uint64_t power = detail::power_of_ten(Decimals);
    out = detail::write_unsigned(out, scaled / power);
    *out++ = '.';
    return detail::write_decimals<Decimals>(out, scaled % power);
  }
}
// The same with a number of decimals that is known at run time only (0 to 64).
char* write_fixed(char* out, float value, int decimals) noexcept;
char* write_fixed(char* out, double value, int decimals) noexcept;

// The shortest text from which read_number() makes the same bits again, as std::to_chars has it:
// plain or with an exponent, whichever is shorter. Room: shortest_room<T>().
template <floating T>
inline char* write_shortest(char* out, T value) noexcept {
  const detail::parts<T> of(value);
  detail::decimal found{};
  if (!detail::shortest_decimal(of, found)) return detail::write_shortest_slow(out, value);
  *out = '-';
  return detail::write_decimal(out + (of.negative ? 1 : 0), found);
}

// -- reading --

struct read_end {
  const char* next;  // behind the number; where it began if there is none
  bool ok;           // false if there is no number, or one that T cannot hold
};

// Reads what the writers above write: an optional minus, digits; for floats a point, an exponent,
// "nan" and "inf" too. No white space, no plus, no "0x". Floats are rounded correctly from any
// number of digits, to nearest, whatever the rounding mode of the thread (on x86-64 and ARM64;
// elsewhere in the default mode only). Integers out of range and floats that overflow or underflow
// are not ok, and `value` stays as it was.
[[nodiscard]] read_end read_number(const char* first, const char* last, float& value) noexcept;
[[nodiscard]] read_end read_number(const char* first, const char* last, double& value) noexcept;
[[nodiscard]] read_end read_signed(const char* first, const char* last,
                                   std::int64_t& value) noexcept;
[[nodiscard]] read_end read_unsigned(const char* first, const char* last,
                                     std::uint64_t& value) noexcept;
[[nodiscard]] read_end read_hex(const char* first, const char* last, std::uint64_t& value) noexcept;

template <integer T>
[[nodiscard]] read_end read_number(const char* first, const char* last, T& value) noexcept {
  using widest = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  widest read = 0;
  read_end end{};
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
