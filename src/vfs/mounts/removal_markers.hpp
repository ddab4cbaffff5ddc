// SPDX-License-Identifier: Zlib
//
// Removal markers, see mount_options::removal_markers.
#pragma once

#include "archives/archive.hpp"

namespace overture::vfs_detail {

// Turns entries named like markers into removals: their path becomes that of the file to remove.
// Errors: out_of_memory, limit, collision.
[[nodiscard]] result<void> take_removal_markers(archives_detail::archive& content) noexcept;

}  // namespace overture::vfs_detail
