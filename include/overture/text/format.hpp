// sprintf without its lock, its allocations and its locale: for code that only wants to replace it.
//
//   char line[80];
//   text::snprintf(line, sizeof line, "%-8s %6.2f\n", name, speed);         // as C's
//   std::size_t bytes = text::format_to(line, "{} {:.2f} {:x}\n", name, speed, id);
//
// snprintf() gives the bytes and the return value of C's in the C locale: flags, width, precision,
// the lengths hh h l ll z j t, and d i u o x X c s p f F e E g G a A %. Not there, and answered
// with -1: %n, which writes to where a format says and is how formats are attacked; long double,
// whose bits differ from one system to the next; wide characters, which need a locale. Compilers
// check the arguments as they do for C's; that these are not there they cannot know. format_to()
// below refuses everything that it does not know when it is compiled.
//
// format_to() is checked by the compiler: a format that does not suit its arguments does not
// compile. {} writes integers in decimal, floats in their shortest form, bools as yes and no,
// strings as they are; {:x} an integer as "%x"; {:.2f} a float as "%.2f" (0 to 64 decimals); {{ and
// }} are braces.
//
// Neither allocates, takes a lock or looks at a locale; any thread. Cost: about that of the
// numbers.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <span>
#include <string_view>

#include "overture/text/number.hpp"

namespace overture::text {

// Writes at most `size` bytes, the NUL at their end included, and returns how many bytes the whole
// text has without it; negative if the format has something that is not supported.
[[gnu::format(printf, 3, 4)]] int snprintf(char* out, std::size_t size, const char* format,
                                           ...) noexcept;
[[gnu::format(printf, 3, 0)]] int vsnprintf(char* out, std::size_t size, const char* format,
                                            std::va_list arguments) noexcept;

namespace detail {

// What stands in one pair of braces.
struct placeholder {
  std::size_t literal_end = 0;  // the text before it
  std::size_t next = 0;         // what follows it
  char kind = 0;                // 0, 'x' or 'f'
  int decimals = 0;
};

// The value of one argument.
struct argument {
  enum class type : unsigned char {
    boolean,
    signed_integer,
    unsigned_integer,
    single,
    twice,
    text
  };

  type is;
  std::uint64_t bits = 0;
  std::string_view string = {};
  unsigned bytes = 8;  // of the integer that it was
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
    return {type::single, std::bit_cast<std::uint32_t>(value)};
  } else if constexpr (std::is_same_v<T, double>) {
    return {type::twice, std::bit_cast<std::uint64_t>(value)};
  } else {
    return {type::text, 0, value};
  }
}

template <class T>
inline constexpr bool formattable = std::is_same_v<T, bool> || integer<T> || floating<T> ||
                                    std::is_convertible_v<const T&, std::string_view>;

// No definition: calling it where a constant is made is what stops the compiler.
void this_format_does_not_suit_its_arguments();

// Reads the braces of a format from `at` on; they must suit a T.
template <class T>
constexpr placeholder parse_placeholder(std::string_view format, std::size_t at) {
  placeholder found{at, 0, 0, 0};
  ++at;
  if (at < format.size() && format[at] == ':') {
    ++at;
    if (at < format.size() && format[at] == 'x') {
      found.kind = 'x';
      ++at;
      if (!integer<T>) this_format_does_not_suit_its_arguments();
    } else if (at < format.size() && format[at] == '.') {
      const std::size_t first = ++at;
      for (; at < format.size() && format[at] >= '0' && format[at] <= '9'; ++at) {
        found.decimals = found.decimals * 10 + (format[at] - '0');
        if (found.decimals > 64) this_format_does_not_suit_its_arguments();
      }
      if (at == first || at == format.size() || format[at] != 'f' || !floating<T>) {
        this_format_does_not_suit_its_arguments();
      }
      found.kind = 'f';
      ++at;
    }
  }
  if (at >= format.size() || format[at] != '}') this_format_does_not_suit_its_arguments();
  found.next = at + 1;
  return found;
}

// The next brace that is not doubled, or the end.
constexpr std::size_t find_placeholder(std::string_view format, std::size_t at) {
  for (; at < format.size(); ++at) {
    const bool doubled = at + 1 < format.size() && format[at + 1] == format[at];
    if (format[at] == '{' && !doubled) return at;
    if (format[at] == '}' && !doubled) this_format_does_not_suit_its_arguments();
    if (format[at] == '{' || format[at] == '}') ++at;
  }
  return at;
}

std::size_t format_arguments(std::span<char> out, std::string_view format,
                             std::span<const placeholder> placeholders,
                             std::span<const argument> arguments) noexcept;

}  // namespace detail

// A format that the compiler has checked against the types of its arguments.
template <class... Args>
class format_for {
 public:
  template <std::size_t N>
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is a format wherever one is asked for
  consteval format_for(const char (&text)[N]) : text_(text, N - 1) {
    std::size_t at = 0;
    std::size_t i = 0;
    const auto take = [&]<class T>(const T* /*type*/) {
      static_assert(detail::formattable<T>, "a type that format_to() does not know");
      at = detail::find_placeholder(text_, at);
      if (at == text_.size()) detail::this_format_does_not_suit_its_arguments();
      placeholders_[i] = detail::parse_placeholder<T>(text_, at);
      at = placeholders_[i++].next;
    };
    (take(static_cast<const Args*>(nullptr)), ...);
    if (detail::find_placeholder(text_, at) != text_.size()) {
      detail::this_format_does_not_suit_its_arguments();
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

// Writes at most out.size() bytes, no NUL, and returns how many bytes the whole text has: more than
// out.size() if it was cut off.
template <class... Args>
std::size_t format_to(std::span<char> out,
                      const std::type_identity_t<format_for<std::decay_t<const Args>...>>& format,
                      const Args&... args) noexcept {
  const detail::argument arguments[] = {detail::argument_of<std::decay_t<const Args>>(args)...,
                                        {detail::argument::type::boolean}};
  return detail::format_arguments(out, format.text(), format.placeholders(),
                                  std::span(arguments).first(sizeof...(Args)));
}

}  // namespace overture::text
