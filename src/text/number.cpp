// SPDX-License-Identifier: Zlib
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "overture/text/detail/digits.hpp"
#include "text/float_mode.hpp"

namespace overture::text {
namespace detail {

char* write_fixed_slow(char* out, float value, int decimals) noexcept {
  const float_mode_scope default_mode;
  return std::to_chars(out, out + fixed_bytes_max<float>(decimals), value, std::chars_format::fixed,
                       decimals)
      .ptr;
}

char* write_fixed_slow(char* out, double value, int decimals) noexcept {
  const float_mode_scope default_mode;
  return std::to_chars(out, out + fixed_bytes_max<double>(decimals), value,
                       std::chars_format::fixed, decimals)
      .ptr;
}

char* write_shortest_slow(char* out, float value) noexcept {
  const float_mode_scope default_mode;
  return std::to_chars(out, out + shortest_bytes_max<float>, value).ptr;
}

char* write_shortest_slow(char* out, double value) noexcept {
  const float_mode_scope default_mode;
  return std::to_chars(out, out + shortest_bytes_max<double>, value).ptr;
}

namespace {

constexpr std::array<std::uint64_t, 20> powers_of_ten = [] {
  std::array<std::uint64_t, 20> powers{};
  for (int i = 0; i < 20; ++i) powers[static_cast<std::size_t>(i)] = power_of_ten(i);
  return powers;
}();

std::uint64_t power_at(int exponent) noexcept {
  return powers_of_ten[static_cast<std::size_t>(exponent)];
}

// Finds the shortest decimal that reads back as the value, if std::to_chars would write it in plain
// notation. For each number of places it looks at the decimal nearest to the value. If that one is
// not within half the gap to the value's neighbours, none of this length is, and it tries one place
// more. It starts at Few digits (FLT_DIG, DBL_DIG), where different decimals are always different
// numbers: a shorter decimal shows there with trailing zeros. Many digits always suffice.
template <class U, int Few, int Many, floating T>
bool find_shortest(const float_parts<T>& split, decimal& found) noexcept {
  constexpr auto lowest = std::uint64_t{1} << float_layout<T>::mantissa_bits;
  const int shift = -split.exponent;
  // From 2^-9 to 100,000, plain notation is never longer than an exponent.
  constexpr int shift_max = float_layout<T>::mantissa_bits + 9;
  constexpr int shift_min = float_layout<T>::mantissa_bits - 16;
  if (shift < shift_min || shift > shift_max || split.mantissa < lowest) return false;
  const std::uint64_t whole = split.mantissa >> shift;
  if (whole >= 100'000) return false;
  int places = Few;
  for (std::uint64_t above = 1; above <= whole; above *= 10) --places;
  // Zeros after the point are not significant digits. More than 18 places are left to
  // std::to_chars.
  const int places_max = std::min(places + (Many - Few) + 2, 18);
  std::uint64_t power = power_at(places);
  for (int i = places; i <= places_max; ++i, power *= 10) {
    const U exact = U{split.mantissa} * power;
    const auto near = static_cast<std::uint64_t>(shift_rounded(exact, shift));
    const U back = U{near} << shift;
    const U distance = back > exact ? back - exact : exact - back;
    // Two rare cases are left to std::to_chars: at a power of two the gap below is half of that
    // above, and exactly at half the gap the mantissa decides which neighbour the decimal reads
    // back as.
    if (2 * distance >= power) {
      if (split.mantissa == lowest || 2 * distance == power) return false;
      continue;
    }
    if (split.mantissa == lowest && 4 * distance >= power) return false;
    // Whole numbers read back as themselves, so rounding did not carry across the point.
    found = {whole, near - whole * power, i};
    if (i == places) {
      for (; found.places > 0 && found.fraction % 10 == 0; found.fraction /= 10) --found.places;
    }
    return true;
  }
  return false;
}

}  // namespace

bool shortest_decimal(const float_parts<float>& split, decimal& found) noexcept {
  return find_shortest<std::uint64_t, 6, 9>(split, found);
}

bool shortest_decimal(const float_parts<double>& split, decimal& found) noexcept {
  return find_shortest<uint128, 15, 17>(split, found);
}

char* write_decimal(char* out, const decimal& value) noexcept {
  // value.whole is below 100,000: see find_shortest().
  out = value.whole < 1000
            ? write_leading(out, value.whole)
            : write_three(write_leading(out, value.whole / 1000), value.whole % 1000);
  if (value.places == 0) return out;
  *out++ = '.';
  // Writes nine or eighteen places; the caller overwrites those beyond value.places, which are
  // zeros.
  std::uint64_t rest = value.fraction;
  char* at = out;
  int places = value.places;
  if (places > 9) {
    const std::uint64_t tail_power = power_at(places - 9);
    at = write_nine(at, rest / tail_power);
    rest %= tail_power;
    places -= 9;
  }
  (void)write_nine(at, rest * power_at(9 - places));
  return out + value.places;
}

namespace {

template <int... Decimals, floating T>
char* write_fixed_of(char* out, T value, int decimals,
                     std::integer_sequence<int, Decimals...> /*all*/) noexcept {
  char* end = nullptr;
  const bool known =
      ((decimals == Decimals ? (end = text::write_fixed<Decimals>(out, value), true) : false) ||
       ...);
  return known ? end : write_fixed_slow(out, value, decimals);
}

// A decimal without an exponent and with few enough digits that dividing two exact numbers gives
// the correctly rounded value (Clinger, 1990).
template <floating T>
parsed_number read_short(const char* first, const char* last, T& value) noexcept {
  constexpr int digits_max = std::is_same_v<T, float> ? 7 : 15;
  constexpr auto exact_max = std::uint64_t{1} << (float_layout<T>::mantissa_bits + 1);
  static constexpr T powers[] = {T(1e0), T(1e1), T(1e2), T(1e3), T(1e4), T(1e5),
                                 T(1e6), T(1e7), T(1e8), T(1e9), T(1e10)};
  const char* at = first;
  const bool negative = at != last && *at == '-';
  if (negative) ++at;
  std::uint64_t digits = 0;
  int count = 0;
  int decimals = 0;
  const auto take = [&] {
    const char* const begin = at;
    // Takes one more digit than allowed, to detect it.
    for (; at != last && count <= digits_max; ++at, ++count) {
      const auto digit = static_cast<unsigned char>(*at - '0');
      if (digit > 9) break;
      digits = digits * 10 + digit;
    }
    return static_cast<int>(at - begin);
  };
  if (take() == 0) return {first, false};
  if (at != last && *at == '.') {
    ++at;
    decimals = take();
    if (decimals == 0) return {first, false};
  }
  if (count > digits_max || digits > exact_max || decimals > 10) return {first, false};
  if (at != last && (*at == 'e' || *at == 'E' || *at == '.')) return {first, false};
  const T magnitude = static_cast<T>(digits) / powers[decimals];
  value = negative ? -magnitude : magnitude;
  return {at, true};
}

// Like read_short() for at most seven digits, a word at a time. False for anything else, and close
// to the end of the text.
template <floating T>
bool read_at_once(const char* first, const char* last, T& value, const char*& end) noexcept {
  constexpr unsigned digits_max = 7;
  constexpr std::ptrdiff_t bytes_touched = 1 + digits_max + 1 + 8;
  const auto goes_on = [](char next) { return next == 'e' || next == 'E' || next == '.'; };
  if constexpr (std::endian::native != std::endian::little) return false;
  if (last - first <= bytes_touched) return false;
  T number = 0;
  // Most numbers have their point and their end within eight bytes.
  if (const unsigned length = read_short_decimal(first, last, number); length != 0) {
    if (goes_on(first[length])) return false;
    value = number;
    end = first + length;
    return true;
  }
  const bool negative = *first == '-';
  const char* at = first + (negative ? 1 : 0);
  const eight_bytes whole(at);
  const unsigned before = whole.count();
  if (before == 0 || before > digits_max) return false;
  at += before;
  std::uint64_t digits = whole.digits & ((std::uint64_t{1} << before * 8) - 1);
  unsigned count = before;
  unsigned decimals = 0;
  if (*at == '.') {
    const eight_bytes after(at + 1);
    decimals = after.count();
    count += decimals;
    if (decimals == 0 || count > digits_max) return false;
    digits |= after.digits << before * 8;
    at += 1 + decimals;
  }
  if (goes_on(*at)) return false;
  const auto scaled = static_cast<std::int32_t>(eight_digits(digits << (8 - count) * 8));
  const auto magnitude = static_cast<T>(static_cast<double>(scaled) / short_divisors[decimals]);
  value = negative ? -magnitude : magnitude;
  end = at;
  return true;
}

// Whether a decimal number, which is not 0, is less than one: from_chars() does not say whether a
// number out of its range is too large or too small.
bool is_below_one(std::string_view text) noexcept {
  constexpr std::int64_t far = INT64_MAX / 4;  // beyond any number of digits
  const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, mark);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_of("123456789");
  if (first == std::string_view::npos) return true;
  const auto order = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) +
                     (first > point ? 1 : 0);  // the number is below ten to its power
  std::int64_t exponent = 0;
  if (mark < text.size()) {
    const std::string_view stated = text.substr(mark + 1);
    const bool negative = stated.starts_with('-');
    const std::from_chars_result end = std::from_chars(
        stated.data() + (stated.starts_with('+') ? 1 : 0), stated.data() + stated.size(), exponent);
    if (end.ec == std::errc::result_out_of_range) exponent = negative ? -far : far;
  }
  return std::clamp(exponent, -far, far) + order < 1;
}

template <floating T>
parsed_number read_in_default_mode(const char* first, const char* last, T& value) noexcept {
  const char* end = nullptr;
  if (read_at_once(first, last, value, end)) return {end, true};
  const parsed_number quick = read_short(first, last, value);
  if (quick.ok) return quick;
  T read = 0;
  const std::from_chars_result slow = std::from_chars(first, last, read);
  if (slow.ec == std::errc::result_out_of_range && is_below_one({first, slow.ptr})) {
    read = *first == '-' ? T(-0.0) : T(0);  // subnormal numbers are in range
  } else if (slow.ec != std::errc{}) {
    return {slow.ptr, false};
  }
  value = read;
  return {slow.ptr, true};
}

template <floating T>
[[gnu::noinline]] parsed_number read_out_of_line(const char* first, const char* last,
                                                 T& value) noexcept {
  return read_in_default_mode(first, last, value);
}

template <floating T>
parsed_number read_floating(const char* first, const char* last, T& value) noexcept {
  if (!float_mode_scope::is_needed()) [[likely]]
    return read_in_default_mode(first, last, value);
  const float_mode_scope default_mode;
  return read_out_of_line(first, last, value);
}

template <class T>
parsed_number read_with(const char* first, const char* last, T& value, int base) noexcept {
  T read = 0;
  const std::from_chars_result end = std::from_chars(first, last, read, base);
  if (end.ec != std::errc{}) return {end.ptr, false};
  value = read;
  return {end.ptr, true};
}

}  // namespace
}  // namespace detail

char* write_fixed(char* out, float value, int decimals) noexcept {
  return detail::write_fixed_of(out, value, decimals, std::make_integer_sequence<int, 10>());
}

char* write_fixed(char* out, double value, int decimals) noexcept {
  return detail::write_fixed_of(out, value, decimals, std::make_integer_sequence<int, 10>());
}

parsed_number read_number(const char* first, const char* last, float& value) noexcept {
  return detail::read_floating(first, last, value);
}

parsed_number read_number(const char* first, const char* last, double& value) noexcept {
  return detail::read_floating(first, last, value);
}

parsed_number read_signed(const char* first, const char* last, std::int64_t& value) noexcept {
  return detail::read_with(first, last, value, 10);
}

parsed_number read_unsigned(const char* first, const char* last, std::uint64_t& value) noexcept {
  return detail::read_with(first, last, value, 10);
}

parsed_number read_hex(const char* first, const char* last, std::uint64_t& value) noexcept {
  return detail::read_with(first, last, value, 16);
}

}  // namespace overture::text
