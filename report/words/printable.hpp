// SPDX-License-Identifier: Zlib
//
// Makes untrusted names harmless.
//
// A file name may contain escape sequences, line ends and characters that reverse the direction of
// text. printable() shows them as \x1b or \u{202e}.
#pragma once

#include <string>
#include <string_view>

namespace overture::report_detail {

// `text` with unprintable characters and invalid UTF-8 escaped.
[[nodiscard]] std::string printable(std::string_view text);

// "rome" of "dlc/rome/"; a path that is only "/" stays.
[[nodiscard]] std::string last_element(std::string_view path);

// With the letters A to Z in lower case.
[[nodiscard]] std::string lower_case(std::string_view text);

struct character {
  std::string_view bytes;
  char32_t code = 0;
  bool valid = false;  // well-formed UTF-8
};

// The first character of a non-empty text; a single byte if it is not valid UTF-8.
[[nodiscard]] character front_character(std::string_view text);

}  // namespace overture::report_detail
