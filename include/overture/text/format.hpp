// SPDX-License-Identifier: Zlib
//
// snprintf() and format_to(): formatted lines without locale, lock or allocation.
//
//   char line[80];
//   text::snprintf(line, sizeof line, "%-8s %6.2f\n", name, speed);         // as C's
//   std::size_t bytes = text::format_to(line, "{} {:.2f} {:x}\n", name, speed, id);
//
// snprintf() replaces C's: same bytes and same return value in the C locale. It has all flags,
// width and precision, the lengths hh h l ll z j t, and the conversions d i u o x X c s p f F e E g
// G a A %. It returns -1 for what it does not support: %n, which lets a format string write to
// memory; long double, whose format differs between systems; wide characters, which need a locale.
// Compilers check the arguments as they do for C's snprintf, but do not know about these gaps.
//
// format_to() checks its format at compile time: one that does not match its arguments does not
// compile.
//   {}      an integer in decimal, a float in its shortest form, a bool as yes or no, a string
//   {:x}    an integer as "%x"
//   {:.2f}  a float as "%.2f", with 0 to 64 decimals
//   {{ }}   braces
//
// Cost: about that of converting the numbers (text/number.hpp). Threads: any thread may call.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <span>
#include <string_view>

#include "overture/base/api.hpp"
#include "overture/text/number.hpp"

namespace overture::text {

// Writes at most `size` bytes, including the terminating NUL. Returns the length of the whole text
// without the NUL, which is `size` or more if it was cut off; negative if the format has something
// unsupported, or the text is longer than INT_MAX.
[[gnu::format(printf, 3, 4)]] OVERTURE_API int snprintf(char* out, std::size_t size,
                                                        const char* format, ...) noexcept;
[[gnu::format(printf, 3, 0)]] OVERTURE_API int vsnprintf(char* out, std::size_t size,
                                                         const char* format,
                                                         std::va_list arguments) noexcept;

namespace detail {

// One pair of braces in a format.
struct placeholder {
  std::size_t literal_end = 0;  // where the text before it ends
  std::size_t next = 0;         // where the text after it begins
  char kind = 0;                // 0, 'x' or 'f'
  int decimals = 0;
};

// The value of one argument.
struct argument {
  enum class type : unsigned char {
    boolean,
    signed_integer,
    unsigned_integer,
    float32,
    float64,
    text
  };

  type is;
  std::uint64_t bits = 0;
  std::string_view string = {};
  unsigned bytes = 8;  // size of the integer type
};

template <class T>
argument argument_of(const T& value) noexcept {
  using type = argument::type;
  if constexpr (std::is_same_v<T, bool>) {
    return {type::boolean, value ? 1u : 0u};
  } else if constexpr (integer<T>) {
    constexpr type is = std::is_signed_v<T> ? type::signed_integer : type::unsigned_integer;
    return {is, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), {}, sizeof(T)};
  } else if constexpr (std::is_same_v<T, float>) {
    return {type::float32, std::bit_cast<std::uint32_t>(value)};
  } else if constexpr (std::is_same_v<T, double>) {
    return {type::float64, std::bit_cast<std::uint64_t>(value)};
  } else {
    static_assert(!std::is_class_v<T> || std::is_nothrow_convertible_v<const T&, std::string_view>,
                  "the conversion of this argument to std::string_view must be noexcept");
    return {type::text, 0, value};
  }
}

template <class T>
inline constexpr bool formattable = std::is_same_v<T, bool> || integer<T> || floating<T> ||
                                    std::is_convertible_v<const T&, std::string_view>;

// Not constexpr and not defined: calling it during constant evaluation stops the compiler with this
// name in the message.
void format_does_not_match_its_arguments();

// Parses the braces that begin at `at`, for an argument of type T.
template <class T>
constexpr placeholder parse_placeholder(std::string_view format, std::size_t at) {
  placeholder found{at, 0, 0, 0};
  ++at;
  if (at < format.size() && format[at] == ':') {
    ++at;
    if (at < format.size() && format[at] == 'x') {
      found.kind = 'x';
      ++at;
      if (!integer<T>) format_does_not_match_its_arguments();
    } else if (at < format.size() && format[at] == '.') {
      const std::size_t first = ++at;
      for (; at < format.size() && format[at] >= '0' && format[at] <= '9'; ++at) {
        found.decimals = found.decimals * 10 + (format[at] - '0');
        if (found.decimals > 64) format_does_not_match_its_arguments();
      }
      if (at == first || at == format.size() || format[at] != 'f' || !floating<T>) {
        format_does_not_match_its_arguments();
      }
      found.kind = 'f';
      ++at;
    }
  }
  if (at >= format.size() || format[at] != '}') format_does_not_match_its_arguments();
  found.next = at + 1;
  return found;
}

// The next opening brace that is not doubled, or the end.
constexpr std::size_t find_placeholder(std::string_view format, std::size_t at) {
  for (; at < format.size(); ++at) {
    const bool doubled = at + 1 < format.size() && format[at + 1] == format[at];
    if (format[at] == '{' && !doubled) return at;
    if (format[at] == '}' && !doubled) format_does_not_match_its_arguments();
    if (format[at] == '{' || format[at] == '}') ++at;
  }
  return at;
}

OVERTURE_API std::size_t format_arguments(std::span<char> out, std::string_view format,
                                          std::span<const placeholder> placeholders,
                                          std::span<const argument> arguments) noexcept;

}  // namespace detail

// A format string, checked at compile time against the types of its arguments.
template <class... Args>
class format_string {
 public:
  template <std::size_t N>
  // NOLINTNEXTLINE(google-explicit-constructor): literals convert to formats
  consteval format_string(const char (&text)[N]) : text_(text, N - 1) {
    std::size_t at = 0;
    std::size_t i = 0;
    const auto take = [&]<class T>(const T* /*type*/) {
      static_assert(detail::formattable<T>, "format_to() does not support this type");
      at = detail::find_placeholder(text_, at);
      if (at == text_.size()) detail::format_does_not_match_its_arguments();
      placeholders_[i] = detail::parse_placeholder<T>(text_, at);
      at = placeholders_[i++].next;
    };
    (take(static_cast<const Args*>(nullptr)), ...);
    if (detail::find_placeholder(text_, at) != text_.size()) {
      detail::format_does_not_match_its_arguments();
    }
  }
  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] std::span<const detail::placeholder> placeholders() const noexcept {
    return {placeholders_, sizeof...(Args)};
  }

 private:
  std::string_view text_;
  detail::placeholder placeholders_[sizeof...(Args) + 1];
};

// Writes at most out.size() bytes and no NUL. Returns the length of the whole text, which is more
// than out.size() if it was cut off.
template <class... Args>
std::size_t format_to(
    std::span<char> out,
    const std::type_identity_t<format_string<std::decay_t<const Args>...>>& format,
    const Args&... args) noexcept {
  const detail::argument arguments[] = {detail::argument_of<std::decay_t<const Args>>(args)...,
                                        {detail::argument::type::boolean}};
  return detail::format_arguments(out, format.text(), format.placeholders(),
                                  std::span(arguments).first(sizeof...(Args)));
}

}  // namespace overture::text
