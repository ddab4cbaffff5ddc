// SPDX-License-Identifier: Zlib
//
// Names of the mounts that are not in the tree, and why.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "overture/vfs/file_system.hpp"

namespace overture::cli {

struct report_skipped {
  std::string mount;
  std::string name;
  std::string reason;

  friend bool operator==(const report_skipped&, const report_skipped&) = default;
};

// How many ls and extract name before they only count.
inline constexpr std::size_t skipped_shown_max = 20;

// In the order of the mounts.
[[nodiscard]] std::vector<report_skipped> skipped_names(const file_system& files);

// "NAME (MOUNT): REASON"
[[nodiscard]] std::string skipped_line(const report_skipped& name);

// Warns of the first `shown_max` names, and says how many more there are.
void warn_of_skipped(const file_system& files, std::size_t shown_max);

// Why a mount's file of this path in the tree was skipped; empty if none was.
[[nodiscard]] std::string why_skipped(const file_system& files, std::string_view path);

}  // namespace overture::cli
