// SPDX-License-Identifier: Zlib
#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdint>
#include <cstring>

#include "overture/text/format.hpp"
#include "text/bounded_writer.hpp"
#include "text/float_mode.hpp"

namespace overture::text {
namespace {

// One conversion specification, such as "%-8.2lf".
struct conversion {
  bool left = false;
  bool plus = false;
  bool space = false;
  bool alternate = false;
  bool zeros = false;
  int width = 0;
  int precision = -1;
  char length = 0;  // 'H' for hh, 'q' for ll
  char kind = 0;
};

// The most non-zero decimals that a finite double can have.
constexpr int decimals_max = 1074;
constexpr std::size_t float_bytes_max = 320 + decimals_max;

// The parts of a number: sign or prefix, zeros, digits, zeros, exponent.
struct number_text {
  std::string_view prefix = {};
  std::size_t zeros_before = 0;
  std::string_view digits = {};
  std::size_t zeros_after = 0;
  std::string_view exponent = {};
  bool pad_with_zeros = false;
};

void add_padded(bounded_writer& out, const conversion& spec, const number_text& number) noexcept {
  const std::size_t bytes = number.prefix.size() + number.zeros_before + number.digits.size() +
                            number.zeros_after + number.exponent.size();
  const auto width = static_cast<std::size_t>(spec.width);
  const std::size_t padding = width > bytes ? width - bytes : 0;
  const bool zeros = number.pad_with_zeros && spec.zeros && !spec.left;
  if (!spec.left && !zeros) out.add(' ', padding);
  out.add(number.prefix);
  out.add('0', number.zeros_before + (zeros ? padding : 0));
  out.add(number.digits);
  out.add('0', number.zeros_after);
  out.add(number.exponent);
  if (spec.left) out.add(' ', padding);
}

std::string_view sign_of(const conversion& spec, bool negative) noexcept {
  return negative ? "-" : spec.plus ? "+" : spec.space ? " " : "";
}

char* to_upper(char* first, char* last) noexcept {
  for (; first != last; ++first) {
    if (*first >= 'a' && *first <= 'z') *first = static_cast<char>(*first - 'a' + 'A');
  }
  return last;
}

static_assert(sizeof(std::intmax_t) == sizeof(std::ptrdiff_t) &&
              sizeof(std::uintmax_t) == sizeof(std::size_t));

std::int64_t next_signed(const conversion& spec, std::va_list& arguments) noexcept {
  switch (spec.length) {
    case 'H':
      return static_cast<signed char>(va_arg(arguments, int));
    case 'h':
      return static_cast<short>(va_arg(arguments, int));
    case 'l':
      return va_arg(arguments, long);
    case 'q':
      return va_arg(arguments, long long);
    case 'j':
    case 'z':
    case 't':
      return va_arg(arguments, std::ptrdiff_t);
    default:
      return va_arg(arguments, int);
  }
}

std::uint64_t next_unsigned(const conversion& spec, std::va_list& arguments) noexcept {
  switch (spec.length) {
    case 'H':
      return static_cast<unsigned char>(va_arg(arguments, int));
    case 'h':
      return static_cast<unsigned short>(va_arg(arguments, int));
    case 'l':
      return va_arg(arguments, unsigned long);
    case 'q':
      return va_arg(arguments, unsigned long long);
    case 'j':
    case 'z':
    case 't':
      return va_arg(arguments, std::size_t);
    default:
      return va_arg(arguments, unsigned);
  }
}

void add_digits(bounded_writer& out, const conversion& spec, number_text number, const char* first,
                const char* last) noexcept {
  // Zero with a precision of zero is written without digits.
  if (spec.precision == 0 && last - first == 1 && *first == '0') last = first;
  const auto count = static_cast<std::size_t>(last - first);
  const auto wanted = static_cast<std::size_t>(spec.precision < 0 ? 0 : spec.precision);
  number.zeros_before = wanted > count ? wanted - count : 0;
  if (spec.kind == 'o' && spec.alternate && number.zeros_before == 0 &&
      (count == 0 || *first != '0')) {
    number.zeros_before = 1;
  }
  number.digits = {first, count};
  number.pad_with_zeros = spec.precision < 0;
  add_padded(out, spec, number);
}

void add_signed(bounded_writer& out, const conversion& spec, std::int64_t value) noexcept {
  char digits[32];
  char* const end = write_integer(digits, value);
  const bool negative = value < 0;
  add_digits(out, spec, {.prefix = sign_of(spec, negative)}, digits + (negative ? 1 : 0), end);
}

void add_unsigned(bounded_writer& out, const conversion& spec, std::uint64_t value) noexcept {
  char digits[40];
  const int base = spec.kind == 'o' ? 8 : spec.kind == 'u' ? 10 : 16;
  char* const end = std::to_chars(digits, digits + sizeof digits, value, base).ptr;
  std::string_view prefix;
  if (spec.alternate && value != 0 && base == 16) prefix = spec.kind == 'X' ? "0X" : "0x";
  if (spec.kind == 'X') to_upper(digits, end);
  add_digits(out, spec, {.prefix = prefix}, digits, end);
}

// "%e" or "%f" of a finite value that is not negative, with a point if there are decimals or '#'
// asks for one. Zeros beyond the last decimal of any double are counted, not written.
void add_decimal(bounded_writer& out, const conversion& spec, bool negative, double value,
                 bool scientific, int precision, bool strip_zeros) noexcept {
  char text[float_bytes_max];
  const int shown = std::min(precision, decimals_max);
  char* end = nullptr;
  if (scientific) {
    const auto form = std::chars_format::scientific;
    const float_mode_scope default_mode;
    end = std::to_chars(text, text + sizeof text - 1, value, form, shown).ptr;
  } else {
    end = write_fixed(text, value, shown);
  }
  char* digits_end = scientific ? std::find(text, end, 'e') : end;
  char exponent[8];
  const auto exponent_bytes = static_cast<std::size_t>(end - digits_end);
  std::memcpy(exponent, digits_end, exponent_bytes);
  auto zeros_after = static_cast<std::size_t>(precision - shown);
  if (strip_zeros && precision > 0) {
    zeros_after = 0;
    while (digits_end[-1] == '0') --digits_end;
    if (digits_end[-1] == '.') --digits_end;
  }
  if (precision == 0 && spec.alternate) *digits_end++ = '.';
  const bool upper = spec.kind == 'E' || spec.kind == 'G';
  if (upper) to_upper(exponent, exponent + exponent_bytes);
  add_padded(out, spec,
             {.prefix = sign_of(spec, negative),
              .digits = {text, static_cast<std::size_t>(digits_end - text)},
              .zeros_after = zeros_after,
              .exponent = {exponent, exponent_bytes},
              .pad_with_zeros = true});
}

// The exponent of ten that "%.*e" would show.
int exponent_of_ten(double value, int precision) noexcept {
  char text[float_bytes_max];
  const auto form = std::chars_format::scientific;
  const float_mode_scope default_mode;
  char* const end = std::to_chars(text, text + sizeof text, value, form, precision).ptr;
  const char* at = std::find(text, end, 'e') + 1;
  const bool negative = *at == '-';
  int exponent = 0;
  for (++at; at != end; ++at) exponent = exponent * 10 + (*at - '0');
  return negative ? -exponent : exponent;
}

// "%a" of a finite value: its bits, rounded only if there is a precision.
void add_hexadecimal(bounded_writer& out, const conversion& spec,
                     const detail::float_parts<double>& split) noexcept {
  using layout = detail::float_layout<double>;
  constexpr int places_max = layout::mantissa_bits / 4;
  const bool upper = spec.kind == 'A';
  const int dropped = spec.precision < 0 ? 0 : std::max(places_max - spec.precision, 0);
  const std::uint64_t digits = dropped == 0 ? split.mantissa
                                            : detail::shift_rounded(split.mantissa, 4 * dropped)
                                                  << 4 * dropped;
  // Rounding can make the digit before the point a 2, which C does not normalise.
  char text[2 + places_max];
  char* end = text;
  *end++ = static_cast<char>('0' + (digits >> layout::mantissa_bits));
  *end++ = '.';
  const char* const digit_texts = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  for (int place = 1; place <= places_max - dropped; ++place) {
    *end++ = digit_texts[digits >> 4 * (places_max - place) & 15];
  }
  while (spec.precision < 0 && end[-1] == '0') --end;
  if (end[-1] == '.' && spec.precision <= 0 && !spec.alternate) --end;

  char prefix[4];
  char* prefix_end = prefix;
  for (const char c : sign_of(spec, split.negative)) *prefix_end++ = c;
  *prefix_end++ = '0';
  *prefix_end++ = upper ? 'X' : 'x';
  char exponent[2 + integer_room<int>()] = {upper ? 'P' : 'p', '+'};
  const int power = split.mantissa == 0 ? 0 : split.exponent + layout::mantissa_bits;
  char* const exponent_end = write_integer(exponent + (power < 0 ? 1 : 2), power);
  const auto between = [](const char* first, const char* last) -> std::string_view {
    return {first, static_cast<std::size_t>(last - first)};
  };
  add_padded(out, spec,
             {.prefix = between(prefix, prefix_end),
              .digits = between(text, end),
              .zeros_after = static_cast<std::size_t>(std::max(spec.precision - places_max, 0)),
              .exponent = between(exponent, exponent_end),
              .pad_with_zeros = true});
}

void add_floating(bounded_writer& out, const conversion& spec, double value) noexcept {
  using layout = detail::float_layout<double>;
  const detail::float_parts<double> split(value);
  if (split.exponent == layout::exponent_mask - layout::bias) {
    const bool upper = spec.kind < 'a';
    const bool infinite = split.mantissa == std::uint64_t{1} << layout::mantissa_bits;
    const char* const name = infinite ? (upper ? "INF" : "inf") : (upper ? "NAN" : "nan");
    add_padded(out, spec, {.prefix = sign_of(spec, split.negative), .digits = name});
    return;
  }
  const double magnitude =
      std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & ~(std::uint64_t{1} << 63));
  const int precision = spec.precision < 0 ? 6 : spec.precision;
  switch (spec.kind) {
    case 'a':
    case 'A':
      add_hexadecimal(out, spec, split);
      return;
    case 'f':
    case 'F':
      add_decimal(out, spec, split.negative, magnitude, false, precision, false);
      return;
    case 'e':
    case 'E':
      add_decimal(out, spec, split.negative, magnitude, true, precision, false);
      return;
    default: {
      const int digits = precision == 0 ? 1 : precision;
      const int exponent = exponent_of_ten(magnitude, std::min(digits - 1, decimals_max));
      const bool scientific = exponent < -4 || exponent >= digits;
      const int decimals = scientific ? digits - 1 : digits - 1 - exponent;
      add_decimal(out, spec, split.negative, magnitude, scientific, decimals, !spec.alternate);
    }
  }
}

void add_text(bounded_writer& out, const conversion& spec, const char* text) noexcept {
  const char* const shown = text ? text : "(null)";
  std::size_t bytes = 0;
  if (spec.precision < 0) {
    bytes = std::strlen(shown);
  } else if (text || spec.precision >= 6) {
    // At most `precision` bytes are read: the string may have no NUL.
    const auto most = static_cast<std::size_t>(spec.precision);
    while (bytes < most && shown[bytes] != '\0') ++bytes;
  }
  add_padded(out, spec, {.digits = {shown, bytes}});
}

void add_pointer(bounded_writer& out, const conversion& spec, const void* pointer) noexcept {
  if (!pointer) {
    add_padded(out, spec, {.digits = "(nil)"});
    return;
  }
  // Implementation-defined in C. As in glibc, flags and precision act as for a signed number.
  const std::string_view prefix = spec.plus ? "+0x" : spec.space ? " 0x" : "0x";
  char digits[hex_room<std::uint64_t>()];
  char* const end = write_hex(digits, reinterpret_cast<std::uintptr_t>(pointer));
  add_digits(out, spec, {.prefix = prefix}, digits, end);
}

// A width or precision; -1 if it exceeds what C allows.
int read_count(const char*& at) noexcept {
  int value = 0;
  for (; *at >= '0' && *at <= '9'; ++at) {
    if (value > (INT_MAX - 9) / 10) return -1;
    value = value * 10 + (*at - '0');
  }
  return value;
}

// False if a number is too large.
bool read_width(const char*& at, conversion& spec, std::va_list& arguments) noexcept {
  if (*at == '*') {
    ++at;
    const int width = va_arg(arguments, int);
    if (width == INT_MIN) return false;
    spec.left = spec.left || width < 0;
    spec.width = width < 0 ? -width : width;
  } else {
    spec.width = read_count(at);
    if (spec.width < 0) return false;
  }
  if (*at != '.') return true;
  ++at;
  if (*at == '*') {
    ++at;
    spec.precision = std::max(va_arg(arguments, int), -1);
    return true;
  }
  spec.precision = read_count(at);
  return spec.precision >= 0;
}

// `at` is after the '%', and afterwards after the conversion.
bool read_conversion(const char*& at, conversion& spec, std::va_list& arguments) noexcept {
  for (bool more = true; more; at += more ? 1 : 0) {
    switch (*at) {
      case '-':
        spec.left = true;
        break;
      case '+':
        spec.plus = true;
        break;
      case ' ':
        spec.space = true;
        break;
      case '#':
        spec.alternate = true;
        break;
      case '0':
        spec.zeros = true;
        break;
      default:
        more = false;
    }
  }
  if (!read_width(at, spec, arguments)) return false;
  if ((at[0] == 'h' && at[1] == 'h') || (at[0] == 'l' && at[1] == 'l')) {
    spec.length = at[0] == 'h' ? 'H' : 'q';
    at += 2;
  } else if (*at != '\0' && std::strchr("hlzjt", *at)) {
    spec.length = *at++;
  }
  spec.kind = *at;
  if (spec.kind != '\0') ++at;
  return true;
}

bool add_conversion(bounded_writer& out, const conversion& spec, std::va_list& arguments) noexcept {
  switch (spec.kind) {
    case 'd':
    case 'i':
      add_signed(out, spec, next_signed(spec, arguments));
      return true;
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      add_unsigned(out, spec, next_unsigned(spec, arguments));
      return true;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      add_floating(out, spec, va_arg(arguments, double));
      return true;
    case 'c': {
      if (spec.length != 0) return false;
      const char c = static_cast<char>(va_arg(arguments, int));
      add_padded(out, spec, {.digits = {&c, 1}});
      return true;
    }
    case 's':
      if (spec.length != 0) return false;
      add_text(out, spec, va_arg(arguments, const char*));
      return true;
    case 'p':
      add_pointer(out, spec, va_arg(arguments, const void*));
      return true;
    case '%':
      out.add("%");
      return true;
    default:
      return false;
  }
}

}  // namespace

int snprintf(char* out, std::size_t size, const char* format, ...) noexcept {
  std::va_list arguments;
  va_start(arguments, format);
  const int bytes = text::vsnprintf(out, size, format, arguments);
  va_end(arguments);
  return bytes;
}

int vsnprintf(char* out, std::size_t size, const char* format, std::va_list arguments) noexcept {
  bounded_writer written(out, size == 0 ? 0 : size - 1);
  // Where va_list is an array type, the parameter is a pointer; the helpers need an actual va_list.
  std::va_list rest;
  va_copy(rest, arguments);
  bool known = true;
  for (const char* at = format; known && *at != '\0';) {
    const char* const literal = at;
    while (*at != '\0' && *at != '%') ++at;
    written.add({literal, static_cast<std::size_t>(at - literal)});
    if (*at == '\0') break;
    ++at;
    conversion spec;
    known = read_conversion(at, spec, rest) && add_conversion(written, spec, rest);
  }
  va_end(rest);
  if (size > 0) out[std::min(written.size(), size - 1)] = '\0';
  return known && written.size() <= INT_MAX ? static_cast<int>(written.size()) : -1;
}

}  // namespace overture::text
