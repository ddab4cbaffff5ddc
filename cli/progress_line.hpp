// The one line of a terminal that a progress bar is painted on, again and again.
#pragma once

#include <cstddef>
#include <string>

#include "progress.hpp"
#include "style.hpp"

namespace overture::cli {

class progress_line {
 public:
  // On a terminal that knows no escape codes, spaces wipe out what is left of a longer line.
  progress_line(bool shown, const terminal_environment& environment)
      : shown_(shown), environment_(environment) {}
  ~progress_line() { clear(); }
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  [[nodiscard]] bool shown() const { return shown_; }
  void paint(const progress_view& view);
  // Any other line, of printable characters. It is not cut.
  void write(const std::string& text);
  // Leaves an empty line.
  void clear();

 private:
  bool shown_;
  const terminal_environment& environment_;
  std::size_t columns_ = 0;  // that are painted now
};

}  // namespace overture::cli
