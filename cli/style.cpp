// SPDX-License-Identifier: Zlib
#include "style.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "system.hpp"

namespace overture::cli {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

terminal_environment terminal_environment::from_process() {
  terminal_environment environment;
  environment.no_color = variable("NO_COLOR");
  environment.term = variable("TERM");
  environment.columns = variable("COLUMNS");
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (environment.locale.empty()) environment.locale = variable(name);
  }
  prepare_terminal(environment);
  return environment;
}

bool terminal_environment::utf8() const {
  std::string lower(locale);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower.find("utf-8") != std::string::npos || lower.find("utf8") != std::string::npos;
}

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
