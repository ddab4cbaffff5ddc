// SPDX-License-Identifier: Zlib
//
// The style of a command's standard output and standard error.
#pragma once

#include "system/system.hpp"
#include "terminal/style.hpp"

namespace overture::cli {

class outputs {
 public:
  // Also sets the style of messages.
  explicit outputs(when colour);

  [[nodiscard]] const terminal_environment& environment() const { return environment_; }
  [[nodiscard]] text_style style(stream which) const;
  [[nodiscard]] bool shows_progress(when progress) const;

 private:
  when colour_;
  terminal_environment environment_;
};

}  // namespace overture::cli
