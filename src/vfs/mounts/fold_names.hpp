// SPDX-License-Identifier: Zlib
//
// Case folding of a mount's names, for file_system_config::ignore_case.
#pragma once

#include "archives/archive.hpp"

namespace overture::vfs_detail {

// Folds all paths. If several become equal, the last in byte order stays (lower case sorts last)
// and the others are listed as skipped. Errors: out_of_memory, limit, collision.
[[nodiscard]] result<void> fold_names(archives_detail::archive& content) noexcept;

}  // namespace overture::vfs_detail
