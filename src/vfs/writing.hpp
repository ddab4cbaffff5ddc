// SPDX-License-Identifier: Zlib
//
// Writing into mounted folders: maps paths of the tree to names on disk and records changes.
#pragma once

#include <array>

#include "vfs/mounts/mount.hpp"

namespace overture::vfs_detail {

// A name on disk, relative to the mount's folder, NUL-terminated.
struct name_on_disk {
  std::array<char, limits::path_bytes_max + 1> text;
  [[nodiscard]] const char* c_str() const noexcept { return text.data(); }
};

// The name on disk of a path. If the tree ignores case, existing files and folders keep their
// spelling, and only the new part is spelled like the path. Errors: bad_path; not_found if the path
// is not below the mount point.
[[nodiscard]] result<void> find_name(const mount& in, asset_path path, name_on_disk& name) noexcept;

// Reserves memory to record a change, so that recording it cannot fail once it has happened.
// Errors: limit, out_of_memory.
[[nodiscard]] result<void> reserve_name(const mount& in, asset_path path,
                                        const name_on_disk& name) noexcept;
// Records that a file now exists, or no longer does. Call reserve_name() first.
void note_written(const mount& in, asset_path path) noexcept;
void note_removed(const mount& in, asset_path path) noexcept;

// The same for what another program did to the file `on_disk` of the mount's folder. Does nothing
// if that was known already, or if what it made is not a file. Errors: limit, out_of_memory.
[[nodiscard]] result<void> note_change_by_others(const mount& in, asset_path path,
                                                 std::string_view on_disk, bool made) noexcept;

// Syncs the folder of a name. Errors: those of opening and sync().
[[nodiscard]] result<void> sync_folder_of(const mount& in, const name_on_disk& name) noexcept;

}  // namespace overture::vfs_detail
