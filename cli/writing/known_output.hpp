// SPDX-License-Identifier: Zlib
//
// What has the name of an output when a command begins. The command replaces that, and then what it
// has written there itself; what another program has put there or changed meanwhile stays.
#pragma once

#include <optional>
#include <string>

#include "overture/base/replace_file.hpp"
#include "writing/file_state.hpp"

namespace overture::cli {

inline constexpr const char* changed_meanwhile =
    "another program has changed it meanwhile, so it is left as it is";

class known_output {
 public:
  // Looks at the file; before its content is looked at, if that matters.
  explicit known_output(const std::string& path) : known_(state_at_end_of(path.c_str())) {}
  // Puts the new file in its place: once, or again after another commit(). Errors: those of the
  // replacement; exists if another program has been there meanwhile.
  [[nodiscard]] result<void> commit(file_replacement& file);

 private:
  std::optional<file_state> known_;
};

}  // namespace overture::cli
