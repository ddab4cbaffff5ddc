// SPDX-License-Identifier: Zlib
//
// Counts the temporary files that lie in a folder.
#pragma once

#include <cstddef>

#include "overture/base/replace_file.hpp"

namespace overture::test {

inline std::size_t temporaries_in(operating_system& os, const char* folder) {
  std::size_t count = 0;
  (void)os.list(folder, [&](const folder_entry& each) noexcept {
    if (is_temporary_name(each.name)) ++count;
  });
  return count;
}

}  // namespace overture::test
