// SPDX-License-Identifier: Zlib
//
// The merged index of all mounts, built by freeze(). Immutable afterwards; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/vec.hpp"
#include "vfs/mounts/mount.hpp"
#include "vfs/tree/frozen_index.hpp"

namespace overture::vfs_detail {

// A path of a mount. The text is in the mount's names.
struct tree_entry {
  const char* text = nullptr;
  std::uint32_t entry = 0;  // number in the mount's archive
  std::uint16_t length = 0;
  std::uint16_t mount = 0;  // position among the mounts

  [[nodiscard]] std::string_view path() const noexcept { return {text, length}; }
};
static_assert(limits::mounts_max <= UINT16_MAX);

struct tree_loser {
  entry_index entry = 0;  // the winner's
  std::uint16_t mount = 0;
};

class tree {
 public:
  explicit tree(allocator& memory) noexcept
      : entries_(memory, memory_tag::vfs), losers_(memory, memory_tag::vfs), index_(memory) {}

  // Errors: collision (sets `colliding` to the two paths), limit, out_of_memory.
  [[nodiscard]] result<void> build(std::span<mount* const> mounts, bool first_wins,
                                   std::span<tree_entry, 2> colliding) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] const tree_entry& operator[](entry_index index) const noexcept {
    return entries_[index];
  }
  // UINT32_MAX if not found.
  [[nodiscard]] entry_index find(const asset_path& path) const noexcept {
    return index_.find(path);
  }
  // The same by number alone.
  [[nodiscard]] entry_index find(path_id id) const noexcept {
    return index_.find_value(
        id, [&](std::uint32_t value) { return hash64(entries_[value].path()) == id.value; });
  }
  // See frozen_index.
  [[nodiscard, gnu::always_inline]] std::int64_t find_likely(
      const asset_path& path) const noexcept {
    return index_.find_likely(path);
  }
  // Sorted by entry, then by priority.
  [[nodiscard]] std::span<const tree_loser> losers() const noexcept { return losers_.span(); }
  [[nodiscard]] std::span<const tree_loser> losers_of(entry_index index) const noexcept;

 private:
  result<void> collect(std::span<mount* const> mounts) noexcept;
  result<void> separate_losers() noexcept;
  [[nodiscard]] result<void> begin_index() noexcept;

  base_detail::vec<tree_entry> entries_;  // in byte order of the paths
  base_detail::vec<tree_loser> losers_;
  frozen_index index_;
};

}  // namespace overture::vfs_detail
