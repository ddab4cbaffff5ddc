// SPDX-License-Identifier: Zlib
//
// Text styles, and which of them a stream supports.
#pragma once

#include <string>
#include <string_view>

#include "system/terminal_environment.hpp"

namespace overture::cli {

// --color and --progress.
enum class when : unsigned char { automatic, always, never };

// What a stream supports.
struct text_style {
  bool colour = false;
  bool unicode = false;  // block characters in bars instead of '#'
  unsigned width = 0;    // columns; 0: unlimited, not a terminal
  unsigned height = 0;   // lines; 0: unlimited

  [[nodiscard]] std::string bold(std::string_view text) const { return dress("1", text); }
  [[nodiscard]] std::string red(std::string_view text) const { return dress("31", text); }
  [[nodiscard]] std::string yellow(std::string_view text) const { return dress("33", text); }
  [[nodiscard]] std::string dim(std::string_view text) const { return dress("2", text); }

 private:
  [[nodiscard]] std::string dress(const char* code, std::string_view text) const;
};

// `terminal_width` is 0 for a stream that is not a terminal.
[[nodiscard]] text_style choose_style(when colour, const terminal_environment& environment,
                                      unsigned terminal_width);
[[nodiscard]] bool choose_progress(when progress, const terminal_environment& environment,
                                   bool is_terminal);

}  // namespace overture::cli
