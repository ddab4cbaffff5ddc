// SPDX-License-Identifier: Zlib
//
// The merged index of all mounts while the tree is not frozen: a copy-on-write hash table of small
// pages. The next version copies the pages it changes and shares the others. A published version is
// immutable.
//
// A page has the winners of up to seven paths. Their tags are next to the pointer to the page, in
// the directory: a look-up goes from there to one slot and its text; one that finds nothing ends
// there. Losers, and winners that do not fit in the page, are in the page's overflow, a list in
// order of priority. So a look-up touches nothing but winners, whatever the number of mounts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/vec.hpp"
#include "overture/base/detail/compiler.hpp"
#include "overture/base/path.hpp"
#include "vfs/mounts/mount.hpp"
#include "vfs/tree/live_pages.hpp"
#include "vfs/tree/same_text.hpp"

namespace overture::vfs_detail {

class live_index {
 public:
  explicit live_index(allocator& memory) noexcept
      : buckets_(memory, memory_tag::vfs), owners_(memory, memory_tag::vfs), pages_(memory) {}
  live_index(const live_index&) = delete;
  live_index& operator=(const live_index&) = delete;

  // The winner, if any. It nearly always is the first candidate, so only that case is inlined.
  [[nodiscard, gnu::always_inline]] live_entry find(const asset_path& path) const noexcept {
    const live_bucket& bucket = buckets_[bucket_of(path.id)];
    const std::uint32_t at = bucket.tags.likely_slot(path.id);
    if (at != tag_word::slots) {
      const live_slot& likely = bucket.page->slots[at];
      const live_owner& owner = owners_[likely.owner];
      if (same_usual_text({owner.names + likely.text, likely.length}, path.text)) {
        // Saves the caller's null check a wait for this load.
        if (!owner.is) overture::detail::unreachable();
        return {owner.is, bucket.page->numbers[at]};
      }
    } else if (!bucket.tags.more()) {
      return {};
    }
    return find_anywhere(path);
  }
  // The winner among the path's files, if any.
  [[nodiscard]] live_entry find_file(const asset_path& path) const noexcept {
    const live_entry found = find(path);
    return found.is_folder() ? first_of(path, false) : found;
  }
  // Calls `visit` for the path's folders and the files no marker removes, the winner first.
  template <class Visit>
  void visit_all(const asset_path& path, Visit visit) const noexcept {
    bool removed = false;
    visit_entries(path, [&](const live_entry& entry) {
      removed = removed || entry.is_removal();
      if (!removed || entry.is_folder()) visit(entry);
    });
  }
  // The same including removal markers and the files they remove.
  template <class Visit>
  void visit_entries(const asset_path& path, Visit visit) const noexcept {
    const live_bucket& bucket = buckets_[bucket_of(path.id)];
    if (!bucket.page) return;
    const std::uint32_t winner = find_slot(bucket, path);
    if (winner != tag_word::slots) visit(entry_of(bucket.page->item(winner)));
    const live_overflow* const overflow = bucket.page->overflow;
    if (!overflow) return;
    for (std::uint32_t i = find_in_overflow(*overflow, path, 0); i < overflow->count;
         i = find_in_overflow(*overflow, path, i + 1)) {
      visit(entry_of(overflow->items()[i]));
    }
  }
  // The path with this number, for messages; empty if no path has it.
  [[nodiscard]] std::string_view text_of(path_id id) const noexcept;

  // --- Making the next version, by one thread at a time ---

  // Makes an empty first version. False if out of memory, here and below.
  [[nodiscard]] bool begin() noexcept;
  // Starts as a copy of `from`, with room for `more` paths.
  [[nodiscard]] bool begin(const live_index& from, std::size_t more) noexcept;
  // With `first_wins`, mounts of lower rank win.
  [[nodiscard]] bool add(const mount& added, bool first_wins) noexcept;
  [[nodiscard]] bool remove(const mount& removed) noexcept;
  // Whether add() failed because too many paths share a hash, and not for lack of memory.
  [[nodiscard]] bool overfull() const noexcept { return overfull_; }
  // Frees what this version does not share with the one it was copied from. It must not have been
  // published.
  void discard() noexcept;
  // The previous version's memory that this version no longer uses.
  [[nodiscard]] live_block* replaced() const noexcept { return pages_.replaced(); }
  static void free_blocks(live_block* first, allocator& memory) noexcept;
  // Frees everything. For the last version.
  void free_all() noexcept;

 private:
  // A mount, by its number in the slots.
  struct live_owner {
    const char* names = nullptr;
    const mount* is = nullptr;  // null: the number is free
  };

  static constexpr std::size_t paths_per_page_max = 4;  // on average
  // Chance never comes near it. Without knowing the multiplier, an attacker can only reach it with
  // paths of the same id.
  static constexpr std::uint32_t paths_of_page_max = 2 * limits::paths_of_id_max;

  static std::uint32_t tag_of(path_id id) noexcept { return static_cast<std::uint32_t>(id.value); }
  [[nodiscard]] std::size_t bucket_of(path_id id) const noexcept {
    return (id.value * multiplier_) >> shift_;
  }
  [[nodiscard]] std::string_view text_of(const live_slot& slot) const noexcept {
    return {owners_[slot.owner].names + slot.text,
            static_cast<std::size_t>(slot.length & ~live_slot::removal_bit)};
  }
  [[nodiscard]] live_entry entry_of(const live_item& item) const noexcept {
    return {owners_[item.slot.owner].is, item.number};
  }
  [[nodiscard]] path_id id_of(const live_item& item) const noexcept;
  // The winner's slot, or tag_word::slots if the page does not have it.
  [[nodiscard]] std::uint32_t find_slot(const live_bucket& in,
                                        const asset_path& path) const noexcept {
    return in.tags.find(path.id, [&](std::uint32_t at) {
      return same_text(text_of(in.page->slots[at]), path.text);
    });
  }
  // The index of the path's first entry at or after `from`, or `count`.
  [[nodiscard]] std::uint32_t find_in_overflow(const live_overflow& overflow,
                                               const asset_path& path,
                                               std::uint32_t from) const noexcept;
  [[nodiscard, gnu::noinline]] live_entry find_anywhere(const asset_path& path) const noexcept;
  [[nodiscard]] live_entry first_of(const asset_path& path, bool folder) const noexcept;

  // Calls `visit` with the id and item of each file and folder of a mount, until it returns false.
  template <class Visit>
  [[nodiscard]] bool each_of(const mount& owner, std::uint16_t number, Visit visit) noexcept;
  [[nodiscard]] bool resize_directory(std::size_t buckets) noexcept;
  [[nodiscard]] bool spread(const live_index& from) noexcept;
  // The id's directory entry with a page that this version may modify. Null if out of memory.
  [[nodiscard]] live_bucket* writable(path_id id) noexcept;
  template <class WinsOver>
  [[nodiscard]] bool insert(path_id id, const live_item& added, WinsOver wins_over) noexcept;
  [[nodiscard]] bool insert_new(live_bucket& into, path_id id, const live_item& added) noexcept;
  [[nodiscard]] bool erase(path_id id, const live_item& erased) noexcept;
  [[nodiscard]] bool erase_from_overflow(live_bucket& from, const asset_path& path,
                                         const live_item& erased) noexcept;
  [[nodiscard]] bool fill_free_slot(live_bucket& of) noexcept;

  base_detail::vec<live_bucket> buckets_;
  base_detail::vec<live_owner> owners_;
  std::uint64_t multiplier_ = 1;
  int shift_ = 60;
  live_pages pages_;
  std::size_t paths_ = 0;
  bool overfull_ = false;
};

}  // namespace overture::vfs_detail
