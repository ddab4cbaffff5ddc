// SPDX-License-Identifier: Zlib
//
// The private state of a file_system.
#pragma once

#include "overture/sync/memory_ledger.hpp"
#include "vfs/tree/mount_table.hpp"
#include "vfs/tree/tree.hpp"

namespace overture {

struct file_system::state {
  // What the file system may have unpacked at a time, unless the host sets a bound.
  static constexpr std::uint64_t ledger_bytes = std::uint64_t{2} << 30;

  explicit state(const file_system_config& config) noexcept
      : own_ledger(ledger_bytes),
        ledger(config.ledger ? *config.ledger : own_ledger),
        mounts(with_ledger(config, ledger)) {}

  [[nodiscard]] vfs_detail::tree* frozen_tree() const noexcept {
    return tree.load(std::memory_order_acquire);
  }
  // For the frozen tree, which refers to mounts by position.
  [[nodiscard]] const vfs_detail::mount& mount_at(std::size_t position) const noexcept {
    return *mounts.current().mounts[position];
  }

  [[nodiscard]] static file_system_config with_ledger(file_system_config config,
                                                      memory_ledger& ledger) noexcept {
    config.ledger = &ledger;
    return config;
  }

  memory_ledger own_ledger;
  memory_ledger& ledger;
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
