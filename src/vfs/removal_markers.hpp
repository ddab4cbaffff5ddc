// Files of a mount that stand for the removal of others.
#pragma once

#include "archives/archive.hpp"

namespace overture::vfs {

// Makes removals of the entries that are markers: their path becomes that of what they remove.
// Errors: out_of_memory, limit, collision.
[[nodiscard]] result<void> take_removal_markers(archive& content) noexcept;

}  // namespace overture::vfs
