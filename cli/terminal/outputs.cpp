// SPDX-License-Identifier: Zlib
#include "terminal/outputs.hpp"

#include "terminal/messages.hpp"

namespace overture::cli {

outputs::outputs(when colour)
    : colour_(colour), environment_(terminal_environment::from_process()) {
  set_message_style(style(stream::err));
}

text_style outputs::style(stream which) const {
  text_style style = choose_style(colour_, environment_, terminal_width(which, environment_));
  style.height = terminal_height(which);
  return style;
}

bool outputs::shows_progress(when progress) const {
  return choose_progress(progress, environment_, is_terminal(stream::err));
}

}  // namespace overture::cli
