// SPDX-License-Identifier: Zlib
//
// The folder that files are written to.
#pragma once

#include "physfs.h"

namespace physfs {

[[nodiscard]] PHYSFS_File* write_folder_open(const char* path, bool append) noexcept;
[[nodiscard]] bool has_write_folder() noexcept;
void end_write_folder() noexcept;

}  // namespace physfs
