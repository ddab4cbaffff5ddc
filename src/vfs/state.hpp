// The private state of a file_system.
#pragma once

#include "vfs/mount_table.hpp"
#include "vfs/tree.hpp"

namespace overture {

struct file_system::state {
  explicit state(const file_system_config& config) noexcept : mounts(config) {}

  [[nodiscard]] vfs_detail::tree* frozen_tree() const noexcept {
    return tree.load(std::memory_order_acquire);
  }
  // For the frozen tree, which refers to mounts by position.
  [[nodiscard]] const vfs_detail::mount& mount_at(std::size_t position) const noexcept {
    return *mounts.current().mounts[position];
  }

  vfs_detail::mount_table mounts;
  atomic<vfs_detail::tree*> tree{nullptr};  // null: not frozen

  // From the last freeze() that failed as errc::collision.
  vfs_detail::tree_entry colliding[2];
};

// The snapshot that a call works on. While frozen it cannot change, so this writes nothing.
class file_system::reading {
 public:
  explicit reading(state& from) noexcept
      : mounts_(from.mounts),
        stripe_(from.frozen_tree() ? nullptr : mounts_.enter()),
        snapshot_(mounts_.current()) {}
  ~reading() {
    if (stripe_) mounts_.leave(stripe_);
  }
  reading(const reading&) = delete;
  reading& operator=(const reading&) = delete;

  const vfs_detail::snapshot& operator*() const noexcept { return snapshot_; }
  const vfs_detail::snapshot* operator->() const noexcept { return &snapshot_; }

 private:
  vfs_detail::mount_table& mounts_;
  vfs_detail::reader_pins::stripe* stripe_;
  const vfs_detail::snapshot& snapshot_;
};

}  // namespace overture
