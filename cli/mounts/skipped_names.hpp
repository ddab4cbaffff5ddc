// SPDX-License-Identifier: Zlib
//
// Names of the mounts that are not in the tree, and why.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "overture/vfs/file_system.hpp"
#include "report/model/collect.hpp"

namespace overture::cli {

using report_detail::report_skipped;
using report_detail::skipped_names;

// How many ls and extract name before they only count.
inline constexpr std::size_t skipped_shown_max = 20;

// "NAME (MOUNT): REASON"
[[nodiscard]] std::string skipped_line(const report_skipped& name);

// Warns of the first `shown_max` names, and says how many more there are.
void warn_of_skipped(const file_system& files, std::size_t shown_max);

// Why a mount's file of this path in the tree was skipped; empty if none was.
[[nodiscard]] std::string why_skipped(const file_system& files, std::string_view path);

}  // namespace overture::cli
