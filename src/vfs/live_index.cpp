#include "vfs/live_index.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace overture::vfs {
namespace {

constexpr std::size_t pages_min = 16;

std::size_t bytes_of(std::uint32_t capacity) noexcept {
  return sizeof(live_page) + capacity * sizeof(live_slot);
}

live_page* make_page(allocator& memory, std::uint64_t version, std::uint32_t capacity) noexcept {
  void* const place = memory.allocate(bytes_of(capacity), alignof(live_page), memory_tag::vfs);
  return place ? ::new (place) live_page{nullptr, version, capacity, 0, 0} : nullptr;
}

void free_page(allocator& memory, live_page* page) noexcept {
  if (page) memory.deallocate(page, bytes_of(page->capacity), alignof(live_page), memory_tag::vfs);
}

asset_path path_of(const live_slot& slot, path_id id) noexcept {
  return {{slot.text, slot.length}, id};
}

path_id id_of(const live_slot& slot) noexcept {
  return slot.is_folder() ? slot.owner->folders[slot.index()].id
                          : slot.owner->content.entries[slot.index()].id;
}

// Calls `visit` with the id and the slot of all that a mount has, until it says false.
template <class Visit>
bool each_of(const mount& owner, Visit visit) noexcept {
  const vec<archive_entry>& entries = owner.content.entries;
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    const std::string_view path = owner.content.path_of(entries[i]);
    const bool removal = entries[i].flaw == entry_flaw::removal;
    if (!visit(entries[i].id,
               live_slot{path.data(), &owner, removal ? i | live_slot::removal_bit : i,
                         static_cast<std::uint16_t>(path.size())})) {
      return false;
    }
  }
  for (std::uint32_t i = 0; i < owner.folders.size(); ++i) {
    const mount_folder& folder = owner.folders[i];
    if (!visit(folder.id,
               live_slot{folder.text, &owner, i | live_slot::folder_bit, folder.length})) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool live_index::resize_directory(std::size_t pages) noexcept {
  if (!pages_.resize(pages)) return false;
  shift_ = 64 - std::countr_zero(pages);
  return true;
}

// Names cannot be crafted to fall into one page without knowing an address.
bool live_index::begin() noexcept {
  if (!resize_directory(pages_min)) return false;
  multiplier_ = detail::xxh_round(reinterpret_cast<std::uintptr_t>(pages_.data()),
                                  reinterpret_cast<std::uintptr_t>(this)) |
                1;
  return true;
}

bool live_index::begin(const live_index& from, std::size_t more) noexcept {
  multiplier_ = from.multiplier_;
  version_ = from.version_ + 1;
  const std::size_t paths = from.paths_ + more;
  if (paths > from.pages_.size() * paths_per_page_max) {
    return resize_directory(std::bit_ceil(paths / 3)) && spread(from);
  }
  if (!resize_directory(from.pages_.size())) return false;
  std::copy(from.pages_.begin(), from.pages_.end(), pages_.begin());
  paths_ = from.paths_;
  return true;
}

// In a larger directory: all pages anew. Winners stay winners, and the order of each path's others
// stays.
bool live_index::spread(const live_index& from) noexcept {
  for (live_page* const old : from.pages_) {
    if (!old) continue;
    for (std::uint32_t i = 0; i < old->count; ++i) {
      live_page* const page = writable(page_of(id_of(old->slots()[i])), 1);
      if (!page) return false;
      if (i < old->winners) {
        place(*page, old->slots()[i], page->winners++);
      } else {
        place(*page, old->slots()[i], page->count);
      }
    }
  }
  for (live_page* const old : from.pages_) {
    if (!old) continue;
    old->next_replaced = replaced_;
    replaced_ = old;
  }
  paths_ = from.paths_;
  return true;
}

live_page* live_index::writable(std::size_t at, std::uint32_t more) noexcept {
  live_page* const page = pages_[at];
  const bool own = page && page->version == version_;
  const std::uint32_t count = page ? page->count : 0;
  if (own && count + more <= page->capacity) return page;
  const std::uint32_t capacity = std::max<std::uint32_t>(4, std::bit_ceil(count + more));
  live_page* const made = make_page(pages_.memory(), version_, capacity);
  if (!made) return nullptr;
  pages_[at] = made;
  if (!page) return made;
  made->winners = page->winners;
  made->count = count;
  std::copy(page->slots(), page->slots() + count, made->slots());
  if (own) {
    free_page(pages_.memory(), page);
  } else {
    page->next_replaced = replaced_;
    replaced_ = page;
  }
  return made;
}

void live_index::place(live_page& page, const live_slot& added, std::uint32_t at) noexcept {
  live_slot* const slots = page.slots();
  std::copy_backward(slots + at, slots + page.count, slots + page.count + 1);
  slots[at] = added;
  ++page.count;
}

void live_index::take_out(live_page& page, std::uint32_t at) noexcept {
  live_slot* const slots = page.slots();
  std::copy(slots + at + 1, slots + page.count, slots + at);
  --page.count;
}

bool live_index::insert(path_id id, const live_slot& added, bool first_wins) noexcept {
  live_page* const page = writable(page_of(id), 1);
  if (!page) return false;
  live_slot slot = added;
  slot.tag = tag_of(id);
  const auto wins_over = [&](const live_slot& other) {
    return first_wins ? slot.owner->rank < other.owner->rank : slot.owner->rank > other.owner->rank;
  };
  live_slot* const slots = page->slots();
  const asset_path path = path_of(slot, id);
  std::uint32_t at = 0;
  while (at < page->winners && !slots[at].is(path, slot.tag)) ++at;
  if (at == page->winners) {
    overfull_ = page->winners == paths_of_page_max;
    if (overfull_) return false;
    place(*page, slot, page->winners++);
    ++paths_;
    return true;
  }
  if (wins_over(slots[at])) {
    std::swap(slots[at], slot);  // the former winner comes in front of all whom it hid
    at = page->winners;
  } else {
    at = page->winners;
    while (at < page->count && !(slots[at].is(path, slot.tag) && wins_over(slots[at]))) ++at;
  }
  place(*page, slot, at);
  return true;
}

bool live_index::erase(path_id id, const live_slot& erased) noexcept {
  live_page* const page = writable(page_of(id), 0);
  if (!page) return false;
  live_slot* const slots = page->slots();
  const asset_path path = path_of(erased, id);
  std::uint32_t at = 0;
  while (slots[at].owner != erased.owner || slots[at].number != erased.number) ++at;
  if (at < page->winners) {
    std::uint32_t heir = page->winners;
    while (heir < page->count && !slots[heir].is(path, tag_of(id))) ++heir;
    if (heir < page->count) {
      slots[at] = slots[heir];
      at = heir;
    } else {
      --page->winners;
      --paths_;
    }
  }
  take_out(*page, at);
  return true;
}

bool live_index::add(const mount& added, bool first_wins) noexcept {
  return each_of(added,
                 [&](path_id id, const live_slot& slot) { return insert(id, slot, first_wins); });
}

bool live_index::remove(const mount& removed) noexcept {
  return each_of(removed, [&](path_id id, const live_slot& slot) { return erase(id, slot); });
}

void live_index::discard() noexcept {
  for (live_page* const page : pages_) {
    if (page && page->version == version_) free_page(pages_.memory(), page);
  }
  pages_.clear();
}

void live_index::free_pages(live_page* first, allocator& memory) noexcept {
  while (first) free_page(memory, std::exchange(first, first->next_replaced));
}

void live_index::free_all() noexcept {
  for (live_page* const page : pages_) free_page(pages_.memory(), page);
  pages_.clear();
}

}  // namespace overture::vfs
