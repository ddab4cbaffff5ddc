// Paths of the tree as names in a writable folder, and what becomes of them.
#pragma once

#include <array>

#include "vfs/mount.hpp"

namespace overture::vfs {

// The name on disk, relative to the mount's folder and ended by NUL.
struct name_on_disk {
  std::array<char, limits::path_bytes_max + 1> text;
  [[nodiscard]] const char* c_str() const noexcept { return text.data(); }
};

// Of a tree without regard to case it is the name that is there already, and of a new one the
// spelling of the path below the folders that are there. Errors: bad_path, not_found if the path
// does not begin with the mount point.
[[nodiscard]] result<void> find_name(const mount& in, asset_path path, name_on_disk& name) noexcept;

// Makes room to note what becomes of a file, so that noting it cannot fail once it has happened.
// Error: out_of_memory.
[[nodiscard]] result<void> reserve_name(const mount& in, asset_path path,
                                        const name_on_disk& name) noexcept;
// The file is there, or is not any more; behind reserve_name().
void note_written(const mount& in, asset_path path) noexcept;
void note_removed(const mount& in, asset_path path) noexcept;

// Syncs the folder that a name is in. Errors: those of opening and sync().
[[nodiscard]] result<void> sync_folder_of(const mount& in, const name_on_disk& name) noexcept;

}  // namespace overture::vfs
