// SPDX-License-Identifier: Zlib
//
// The archive formats that this build can mount, to be shown.
//
//   for (const mount_format_info& each : mount_formats()) puts(each.name);
#pragma once

#include <span>

#include "overture/archives/mount_format.hpp"
#include "overture/base/api.hpp"

namespace overture {

struct mount_format_info {
  mount_format format = mount_format::folder;
  const char* name = "";       // to_string(format)
  const char* files = "";      // what they are called, or whose they are: "Quake"
  const char* libraries = "";  // that unpack them, or "Overture"
};

// All of them, in the order of mount_format. The list lives as long as the process. Any thread.
[[nodiscard]] OVERTURE_API std::span<const mount_format_info> mount_formats() noexcept;

}  // namespace overture
