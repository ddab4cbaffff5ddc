// SPDX-License-Identifier: Zlib
//
// The environment variables that describe the terminal.
#pragma once

#include <string>

namespace overture::cli {

// Empty if unset.
struct terminal_environment {
  std::string no_color;
  std::string term;
  std::string columns;
  std::string locale;  // the first of LC_ALL, LC_CTYPE, LANG that is set

  [[nodiscard]] static terminal_environment from_process();
  [[nodiscard]] bool dumb() const { return term.empty() || term == "dumb"; }
  [[nodiscard]] bool utf8() const;
  // What COLUMNS says, or 80.
  [[nodiscard]] unsigned told_columns() const;
};

}  // namespace overture::cli
