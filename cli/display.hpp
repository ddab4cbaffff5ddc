// Text as a terminal shows it: how wide it is, and how to make names from outside harmless.
//
// A file name may hold escape sequences, line ends and characters that turn the direction of
// writing round. None of them reaches the terminal: printable() shows them as \x1b or \u{202e}.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace overture::cli {

// `text` with everything that is not a printable character, and bytes that are not UTF-8, escaped.
[[nodiscard]] std::string printable(std::string_view text);

// How many columns a terminal gives to printable text (wide characters take two, marks that
// combine none). An estimate: terminals differ on the newest characters.
[[nodiscard]] std::size_t display_width(std::string_view text);

// Cut in the middle to at most `columns` columns, the gap marked by "…" ("..." without unicode).
[[nodiscard]] std::string shorten(std::string_view text, std::size_t columns, bool unicode);

}  // namespace overture::cli
