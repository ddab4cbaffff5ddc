// SPDX-License-Identifier: Zlib
//
// The terminal line on which a progress bar is repainted.
#pragma once

#include <cstddef>
#include <string>

#include "terminal/progress.hpp"
#include "terminal/style.hpp"

namespace overture::cli {

class progress_line {
 public:
  // Terminals without escape codes are cleared with spaces.
  progress_line(bool shown, const terminal_environment& environment)
      : shown_(shown), environment_(environment) {}
  ~progress_line() { clear(); }
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  [[nodiscard]] bool shown() const { return shown_; }
  void paint(const progress_view& view);
  // Any other printable line. It is not cut to the width.
  void write(const std::string& text);
  // Clears the line.
  void clear();

 private:
  bool shown_;
  const terminal_environment& environment_;
  std::size_t columns_ = 0;  // painted now
};

}  // namespace overture::cli
