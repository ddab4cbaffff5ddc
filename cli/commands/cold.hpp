// SPDX-License-Identifier: Zlib
//
// Makes a load, or a run of a program, cold: drops what it will read from the page cache.
#pragma once

#include <string>
#include <vector>

#include "mounts/tree_arguments.hpp"
#include "system/page_cache.hpp"
#include "terminal/outputs.hpp"

namespace overture::cli {

// Drops the archives, and the files in the folders, that a load would mount. Warns if the system
// keeps some of them. Shows how far it is if asked to.
void drop_from_page_cache(const tree_arguments& tree, const outputs& out, bool progress);

// Drops these files.
[[nodiscard]] dropped_files drop_from_page_cache(const std::vector<std::string>& paths,
                                                 const outputs& out, bool progress);

// What to warn of; empty if the load is cold.
[[nodiscard]] std::string why_not_cold(const dropped_files& all);

}  // namespace overture::cli
