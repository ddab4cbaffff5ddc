// SPDX-License-Identifier: Zlib
#include "system/terminal_environment.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "system/system.hpp"

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

unsigned terminal_environment::told_columns() const {
  const unsigned long told = std::strtoul(columns.c_str(), nullptr, 10);
  return told > 0 && told < 10'000 ? static_cast<unsigned>(told) : 80;
}

}  // namespace overture::cli
