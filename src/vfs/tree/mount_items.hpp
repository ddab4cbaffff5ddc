// SPDX-License-Identifier: Zlib
//
// The files and folders of a mount as a live_index has them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/vec.hpp"
#include "overture/base/path.hpp"
#include "vfs/mounts/mount.hpp"
#include "vfs/tree/live_pages.hpp"

namespace overture::vfs_detail {

// In an order that suits the index: in a large mount, pages in use stay in the cache and are
// allocated next to each other if it is visited roughly in their order.
class mount_items {
 public:
  explicit mount_items(allocator& memory) noexcept : items_(memory, memory_tag::vfs) {}

  [[nodiscard]] static std::size_t count_of(const mount& owner) noexcept {
    return owner.content.entries.size() + owner.folders.size();
  }
  // Calls `visit` with the id and item of each file and folder, until it returns false. `number` is
  // the mount's in the index.
  template <class Visit>
  static bool each(const mount& owner, std::uint16_t number, Visit visit) noexcept {
    const base_detail::vec<archives_detail::archive_entry>& entries = owner.content.entries;
    for (std::uint32_t i = 0; i < entries.size(); ++i) {
      const archives_detail::archive_entry& entry = entries[i];
      live_item item{{entry.name, number, entry.name_bytes}, i, 0};
      if (entry.flaw == archives_detail::entry_flaw::removal) {
        item.slot.length |= live_slot::removal_bit;
        item.number |= live_entry::removal_bit;
      }
      if (!visit(entry.id, item)) return false;
    }
    for (std::uint32_t i = 0; i < owner.folders.size(); ++i) {
      const mount_folder& folder = owner.folders[i];
      const std::ptrdiff_t text =
          folder.length != 0 ? folder.text - owner.content.names.data() : std::ptrdiff_t{0};
      const live_slot slot{static_cast<std::uint32_t>(text), number, folder.length};
      if (!visit(folder.id, live_item{slot, i | live_entry::folder_bit, 0})) return false;
    }
    return true;
  }

  // Takes those of the mount, by `part_of(id)`, which is below `parts`. False if out of memory.
  template <class PartOf>
  [[nodiscard]] bool sort(const mount& owner, std::uint16_t number, std::size_t parts,
                          PartOf part_of) noexcept {
    base_detail::vec<std::uint32_t> next(items_.memory(), memory_tag::vfs);
    if (!items_.resize_for_overwrite(count_of(owner)) || !next.resize(parts + 1)) return false;
    (void)each(owner, number, [&](path_id id, const live_item&) {
      ++next[part_of(id) + 1];
      return true;
    });
    for (std::size_t i = 1; i <= parts; ++i) next[i] += next[i - 1];
    (void)each(owner, number, [&](path_id id, const live_item& item) {
      items_[next[part_of(id)]++] = {id, item};
      return true;
    });
    return true;
  }
  template <class Visit>
  bool each_sorted(Visit visit) const noexcept {
    return std::all_of(items_.begin(), items_.end(),
                       [&](const part_item& one) { return visit(one.id, one.item); });
  }

 private:
  struct part_item {
    path_id id;
    live_item item;
  };
  base_detail::vec<part_item> items_;
};

}  // namespace overture::vfs_detail
