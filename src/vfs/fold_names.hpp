// Makes the names of a mount those of a tree without regard to case.
#pragma once

#include "archives/archive.hpp"

namespace overture::vfs {

// Folds the paths of what was listed. Of several that are alike then, the one whose bytes come last
// stays (small letters, where there is the choice), and the others are skipped and listed. Errors:
// out_of_memory, limit, collision.
[[nodiscard]] result<void> fold_names(archive& content) noexcept;

}  // namespace overture::vfs
