// SPDX-License-Identifier: Zlib
//
// The formats a file_system can mount. A format is recognised by its content (an LFD without a
// map by its extension too). docs/guide/vfs.md lists what each one supports.
#pragma once

#include <cstdint>

#include "overture/base/api.hpp"

namespace overture {

enum class mount_format : std::uint8_t {
  folder,
  zip,  // also PK3, PK4, WZ
  seven_zip,
  iso,    // ISO 9660, also with Joliet, Rock Ridge and zisofs
  pak,    // Quake
  wad,    // Doom
  grp,    // Build engine
  hog,    // Descent 1 to 3
  mvl,    // Descent II (films)
  vdf,    // Gothic
  chasm,  // Chasm: The Rift (.bin)
  gob,    // Dark Forces, Jedi Knight
  lab,    // Outlaws
  lfd,    // X-Wing, TIE Fighter, Dark Forces
  slb,    // Independence War
  pod,    // Terminal Velocity
  rofs,   // Resident Evil 3 (.dat)
  tar,    // also packed with gzip, xz, zstd or BZip2
};

// The name for people, such as "7z". Any thread.
[[nodiscard]] OVERTURE_API const char* to_string(mount_format format) noexcept;

}  // namespace overture
