// SPDX-License-Identifier: Zlib
//
// Text on a terminal: how wide it is, and how to make untrusted names harmless.
//
// A file name may contain escape sequences, line ends and characters that reverse the direction of
// text. None of them reaches the terminal: printable() shows them as \x1b or \u{202e}.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace overture::cli {

// `text` with unprintable characters and invalid UTF-8 escaped.
[[nodiscard]] std::string printable(std::string_view text);

// The columns that printable text takes: wide characters two, combining marks none. An estimate:
// terminals differ on the newest characters.
[[nodiscard]] std::size_t display_width(std::string_view text);

// Cuts the middle out to fit `columns` columns and puts "…" there ("..." without unicode).
[[nodiscard]] std::string shorten(std::string_view text, std::size_t columns, bool unicode);

// "rome" of "dlc/rome/"; a path that is only "/" stays.
[[nodiscard]] std::string last_element(std::string_view path);

// With the letters A to Z in lower case.
[[nodiscard]] std::string lower_case(std::string_view text);
// Breaks text between words into lines of at most `columns`; the first begins with `first`, the
// others with `rest`. 0 columns: one line.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t columns,
                                  std::string_view first, std::string_view rest);

}  // namespace overture::cli
