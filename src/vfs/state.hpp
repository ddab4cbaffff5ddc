// What a file_system holds.
#pragma once

#include "vfs/mount_table.hpp"
#include "vfs/sources.hpp"
#include "vfs/tree.hpp"

namespace overture {

struct file_system::state {
  explicit state(allocator& memory) noexcept : mounts(memory), sources(memory) {}

  vfs::mount_table mounts;
  vfs::source_table sources;
  vfs::tree* tree = nullptr;  // null: not frozen

  // Of the last freeze() that failed with errc::collision.
  vfs::tree_entry colliding[2];
};

}  // namespace overture
