// How a command's two outputs look.
#pragma once

#include "style.hpp"
#include "system.hpp"

namespace overture::cli {

class outputs {
 public:
  // Messages on standard error look like this from then on.
  explicit outputs(when colour);

  [[nodiscard]] const terminal_environment& environment() const { return environment_; }
  [[nodiscard]] text_style style(stream which) const;
  [[nodiscard]] bool shows_progress(when progress) const;

 private:
  when colour_;
  terminal_environment environment_;
};

}  // namespace overture::cli
