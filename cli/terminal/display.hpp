// SPDX-License-Identifier: Zlib
//
// Text on a terminal: how wide it is. Names that come from outside go through printable() first.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/words/printable.hpp"

namespace overture::cli {

using report_detail::character;
using report_detail::front_character;
using report_detail::last_element;
using report_detail::lower_case;
using report_detail::printable;

// The columns that printable text takes: wide characters two, combining marks none. An estimate:
// terminals differ on the newest characters.
[[nodiscard]] std::size_t display_width(std::string_view text);

// Cuts the middle out to fit `columns` columns and puts "…" there ("..." without unicode).
[[nodiscard]] std::string shorten(std::string_view text, std::size_t columns, bool unicode);

// Breaks text between words into lines of at most `columns`; the first begins with `first`, the
// others with `rest`. 0 columns: one line.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t columns,
                                  std::string_view first, std::string_view rest);

}  // namespace overture::cli
