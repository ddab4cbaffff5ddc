// Paths of the tree as names in a writable folder.
#pragma once

#include <array>

#include "vfs/mount.hpp"

namespace overture::vfs {

// The name on disk, relative to the mount's folder and ended by NUL.
struct name_on_disk {
  std::array<char, limits::path_bytes_max + 1> text;
  [[nodiscard]] const char* c_str() const noexcept { return text.data(); }
};

// Errors: bad_path, not_found if the path does not begin with the mount point.
[[nodiscard]] result<void> find_name(const mount& in, asset_path path, name_on_disk& name) noexcept;

}  // namespace overture::vfs
