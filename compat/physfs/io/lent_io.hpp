// SPDX-License-Identifier: Zlib
//
// A file of the system, bytes in memory or a handle, as a PHYSFS_Io for an archiver of the host.
#pragma once

#include "storage.hpp"

namespace physfs {

// For an archive that is a file of the system if nothing is lent. The host's own PHYSFS_Io is
// returned as it is. Null, and an error, if the file cannot be opened. What is lent is released
// with the last copy, unless give_back_io() was called.
[[nodiscard]] PHYSFS_Io* io_for(const char* path, const loan& lent) noexcept;
// Destroys what io_for() made; what was lent remains the host's.
void give_back_io(PHYSFS_Io* io, const loan& lent) noexcept;

// A file of the system that is there, to be read and written; what is first written empties it.
// Null, and an error, if it cannot be opened so.
[[nodiscard]] PHYSFS_Io* io_to_change(const char* path) noexcept;

}  // namespace physfs
