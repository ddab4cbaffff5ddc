// SPDX-License-Identifier: Zlib
//
// Archivers of the host: formats that the library does not know.
//
// Calls to one archiver, and to the PHYSFS_Io of its files, are made one at a time; what it calls
// in turn may come back to it.
#pragma once

#include "storage.hpp"

namespace physfs {

// Tries the archivers whose extension is that of the name, or all others. Null if none of them
// takes the archive; `claimed` says whether one knew it and failed, with an error.
[[nodiscard]] storage* open_by_archivers(const char* name, const loan& lent, bool by_extension,
                                         bool& claimed) noexcept;
// A folder, or an archive whose archiver writes it. Null, and an error, if it is neither.
[[nodiscard]] storage* open_to_write(const char* path) noexcept;
[[nodiscard]] bool has_archivers() noexcept;
// False if out of memory.
[[nodiscard]] bool list_archivers(list<const PHYSFS_ArchiveInfo*>& infos) noexcept;
[[nodiscard]] bool add_archiver(const PHYSFS_Archiver& added) noexcept;
[[nodiscard]] bool remove_archiver(const char* extension) noexcept;
void end_archivers() noexcept;

}  // namespace physfs
