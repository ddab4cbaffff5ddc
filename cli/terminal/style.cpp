// SPDX-License-Identifier: Zlib
#include "terminal/style.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "system/system.hpp"

namespace overture::cli {

std::string text_style::dress(const char* code, std::string_view text) const {
  if (!colour || text.empty()) return std::string(text);
  std::string dressed = "\x1b[";
  dressed.append(code).append("m").append(text).append("\x1b[0m");
  return dressed;
}

text_style choose_style(when colour, const terminal_environment& environment,
                        unsigned terminal_width) {
  text_style style;
  style.colour = colour == when::always || (colour == when::automatic && terminal_width > 0 &&
                                            !environment.dumb() && environment.no_color.empty());
  style.unicode = environment.utf8();
  style.width = terminal_width;
  return style;
}

bool choose_progress(when progress, const terminal_environment& environment, bool is_terminal) {
  return progress == when::always ||
         (progress == when::automatic && is_terminal && !environment.dumb());
}

}  // namespace overture::cli
