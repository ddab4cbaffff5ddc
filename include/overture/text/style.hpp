// SPDX-License-Identifier: Zlib
//
// The styles: what an object looks like as text.
//
//   script<"unit">   unit={ enabled=yes speed=1.25 at={ 1 2 3 } }      one line per object; for
//                                                                      saves people read and edit
//   blocks<"unit">   the same, one indented key=value line per field;  for definitions and mods
//   rows<' '>        yes 1.25 1 2 3                                    for tables; rows<','> is
//                                                                      CSV-like
//   json             {"enabled":true,"speed":1.25,"at":[1,2,3]}        JSON lines
//
// A style is the first template argument of write(), read() and of a save's add() and read().
//
// Strings: quotes, backslashes and control characters are escaped as \" \\ \n \r \t \x07 (\u0007
// in JSON). Bytes that are not UTF-8 are written as they are, except in JSON: there they become
// \udc80 to \udcff, which read() turns back into the same bytes and which other readers may refuse.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "overture/text/fields.hpp"

namespace overture::text {

// A string literal as a template argument.
template <std::size_t N>
struct literal {
  char text[N] = {};
  // NOLINTNEXTLINE(google-explicit-constructor): script<"unit"> is its purpose
  constexpr literal(const char (&from)[N]) { std::copy_n(from, N, text); }
  [[nodiscard]] constexpr std::string_view view() const { return {text, N - 1}; }
};

namespace detail {
enum class notation : std::uint8_t { script, rows, json };
}

template <literal Name = "object">
struct script {
  static constexpr auto notation = detail::notation::script;
  static constexpr bool indented = false;
  static constexpr std::string_view name = Name.view();
  static_assert(detail::is_word(name));
};
template <literal Name = "object">
struct blocks {
  static constexpr auto notation = detail::notation::script;
  static constexpr bool indented = true;
  static constexpr std::string_view name = Name.view();
  static_assert(detail::is_word(name));
};
template <char Separator = ' '>
struct rows {
  static constexpr auto notation = detail::notation::rows;
  static constexpr bool indented = false;
  static constexpr char separator = Separator;
  static_assert(Separator == ' ' || Separator == ',' || Separator == ';' || Separator == '\t',
                "the separator must be one that no value contains: ' ', ',', ';' or '\\t'");
};
struct json {
  static constexpr auto notation = detail::notation::json;
  static constexpr bool indented = false;
};

}  // namespace overture::text
