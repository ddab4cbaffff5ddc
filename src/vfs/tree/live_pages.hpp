// SPDX-License-Identifier: Zlib
//
// The pages of a live_index, and their memory. A page belongs to the version that has made it; a
// later one replaces it by a copy before it changes anything.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "overture/base/allocator.hpp"
#include "overture/base/limits.hpp"
#include "vfs/mounts/mount.hpp"
#include "vfs/tree/tag_word.hpp"

namespace overture::vfs_detail {

// A file or a folder of one mount.
struct live_entry {
  static constexpr std::uint32_t folder_bit = 1u << 31;
  static constexpr std::uint32_t removal_bit = 1u << 30;

  const mount* owner = nullptr;  // null: not found
  std::uint32_t number = 0;      // of the entry, or with folder_bit of the folder

  [[nodiscard]] explicit operator bool() const noexcept { return owner != nullptr; }
  [[nodiscard]] bool is_folder() const noexcept { return (number & folder_bit) != 0; }
  // Not a file but a removal marker: removes the path's files in mounts that lose to this one.
  [[nodiscard]] bool is_removal() const noexcept { return (number & removal_bit) != 0; }
  [[nodiscard]] std::uint32_t index() const noexcept {
    return number & ~(folder_bit | removal_bit);
  }
};
static_assert(limits::entries_max < live_entry::removal_bit);
static_assert(limits::folders_max < live_entry::removal_bit);

// What a look-up compares, as small as possible.
struct live_slot {
  // Makes the length one that no path has, so look-ups need no check for removal markers.
  static constexpr std::uint16_t removal_bit = 1u << 15;

  std::uint32_t text = 0;   // offset in the mount's names
  std::uint16_t owner = 0;  // by its number in the index
  std::uint16_t length = 0;
};
static_assert(sizeof(live_slot) == 8);
static_assert(limits::path_bytes_max < live_slot::removal_bit);
static_assert(limits::mounts_max <= UINT16_MAX);

// An entry of the overflow.
struct live_item {
  live_slot slot;
  std::uint32_t number = 0;  // as in live_entry
  std::uint32_t tag = 0;     // of the path's id
};

// Memory for the pages of a large mount, freed with the last of them. Pages replaced by later
// versions waste their memory until then.
struct live_chunk {
  std::size_t bytes;
  std::size_t holders;  // pages, and the index that takes pages of it
};

// Memory of one version. Readers do not use this part of it.
struct live_block {
  live_block* next_replaced;
  std::uint64_t version;
  std::size_t bytes;
  live_chunk* chunk;  // null: allocated separately
};

// What belongs to a page and has no slot in it: losers, and winners of further paths.
struct live_overflow : live_block {
  std::uint32_t capacity;
  std::uint32_t count;
  std::uint32_t paths_without_slot;

  [[nodiscard]] live_item* items() noexcept { return reinterpret_cast<live_item*>(this + 1); }
  [[nodiscard]] const live_item* items() const noexcept {
    return reinterpret_cast<const live_item*>(this + 1);
  }
  void put_in(const live_item& added, std::uint32_t at) noexcept {
    std::copy_backward(items() + at, items() + count, items() + count + 1);
    items()[at] = added;
    ++count;
  }
  void take_out(std::uint32_t at) noexcept {
    std::copy(items() + at + 1, items() + count, items() + at);
    --count;
  }
};

struct live_page : live_block {
  live_overflow* overflow;  // or null
  live_slot slots[tag_word::slots];
  std::uint32_t numbers[tag_word::slots];  // of the slots, as in live_entry

  [[nodiscard]] live_item item(std::uint32_t at) const noexcept {
    return {slots[at], numbers[at], 0};
  }
  void put(std::uint32_t at, const live_item& item) noexcept {
    slots[at] = item.slot;
    numbers[at] = item.number;
  }
};

// An entry of the directory.
struct live_bucket {
  live_page* page = nullptr;  // null: empty
  tag_word tags;              // of its slots
};

// Makes the pages of one version, and notes those of earlier versions that it no longer uses.
class live_pages {
 public:
  explicit live_pages(allocator& memory) noexcept : memory_(memory) {}
  live_pages(const live_pages&) = delete;
  live_pages& operator=(const live_pages&) = delete;

  void begin(std::uint64_t version) noexcept { version_ = version; }
  [[nodiscard]] std::uint64_t version() const noexcept { return version_; }
  [[nodiscard]] bool owns(const live_block& block) const noexcept {
    return block.version == version_;
  }
  // This page if it is of this version, otherwise a new one with its content; with null, an empty
  // one. Null if out of memory.
  [[nodiscard]] live_page* writable(live_page* known) noexcept {
    return known && owns(*known) ? known : copy(known);
  }
  // The modifiable overflow of a page of this version, with room for `more`. Null if out of memory.
  [[nodiscard]] live_overflow* writable_overflow(live_page& of, std::uint32_t more) noexcept;
  // From now on allocates so many pages at once; 0: each by itself.
  void take_chunks(std::size_t pages) noexcept;
  void replace(live_block* block) noexcept {
    block->next_replaced = std::exchange(replaced_, block);
  }
  [[nodiscard]] live_block* replaced() const noexcept { return replaced_; }
  static void free(allocator& memory, live_block* block) noexcept;

 private:
  [[nodiscard]] bool take_chunk() noexcept;
  [[nodiscard]] live_page* make() noexcept;
  [[nodiscard]] live_page* copy(live_page* known) noexcept;

  allocator& memory_;
  std::uint64_t version_ = 0;
  live_block* replaced_ = nullptr;
  std::size_t pages_at_once_ = 0;
  live_chunk* chunk_ = nullptr;
  std::size_t chunk_left_ = 0;  // in pages
};

}  // namespace overture::vfs_detail
