// SPDX-License-Identifier: Zlib
#include "terminal/progress_line.hpp"

#include <algorithm>

#include "system/system.hpp"
#include "terminal/display.hpp"
#include "terminal/messages.hpp"

namespace overture::cli {

void progress_line::paint(const progress_view& view) {
  text_style style;
  style.unicode = environment_.utf8();
  style.width = terminal_width(stream::err, environment_);
  write(render(view, style));
}

void progress_line::clear() {
  if (columns_ == 0) return;
  write("");
  print_to_stderr("\r");
}

void progress_line::write(const std::string& text) {
  const std::size_t columns = display_width(text);
  std::string line = '\r' + text;
  if (environment_.dumb()) {
    line.append(columns_ - std::min(columns_, columns), ' ');
  } else {
    line += "\x1b[K";
  }
  columns_ = columns;
  print_to_stderr(line);
}

}  // namespace overture::cli
