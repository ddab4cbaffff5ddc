// The archive formats that a file_system mounts. Archives are recognised by their content, never by
// their names.
#pragma once

#include <cstdint>

namespace overture {

enum class mount_format : std::uint8_t {
  folder,
  zip,  // PK3, WZ and others too
  seven_zip,
  iso,    // ISO 9660, with or without Joliet
  pak,    // Quake
  wad,    // Doom
  grp,    // Build
  hog,    // Descent 1 to 3
  mvl,    // Descent II's films
  vdf,    // Gothic
  chasm,  // Chasm: The Rift, .bin
  gob,    // Dark Forces, Jedi Knight
  lab,    // Outlaws
  lfd,    // X-Wing, TIE Fighter, Dark Forces
  slb,    // Independence War
  pod,    // Terminal Velocity
  rofs,   // Resident Evil 3, .dat
};
[[nodiscard]] const char* to_string(mount_format format) noexcept;

}  // namespace overture
