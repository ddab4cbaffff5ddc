// SPDX-License-Identifier: Zlib
//
// Archives that 7-Zip makes.
#pragma once

#include <cstdlib>
#include <string>

#include "support/temp_folder.hpp"

namespace overture {

// Packs `files` of the folder into an archive there; false on failure. 7-Zip's own package names
// the command 7zz, p7zip's 7z.
inline bool run_7zip(const temp_folder& folder, const std::string& options,
                     const std::string& archive, const std::string& files) {
  const std::string command = "cd '" + folder.path().string() + "' && export LC_ALL=C.UTF-8 && " +
                              "$(command -v 7zz || command -v 7z) a -bd " + options + " " +
                              archive + " " + files + " >/dev/null 2>&1";
  return std::system(command.c_str()) == 0;
}

inline bool has_7zip() {
  return std::system("command -v 7zz >/dev/null || command -v 7z >/dev/null") == 0;
}

}  // namespace overture
