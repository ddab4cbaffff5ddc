// SPDX-License-Identifier: Zlib
//
// Makes a load cold: drops what it will read from the page cache.
#pragma once

#include "mounts/tree_arguments.hpp"

namespace overture::cli {

// Drops the archives, and the files in the folders, that a load would mount. Warns if the system
// keeps some of them.
void drop_from_page_cache(const tree_arguments& tree);

}  // namespace overture::cli
