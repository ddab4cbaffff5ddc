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
  return place ? ::new (place) live_page{nullptr, nullptr, version, capacity, 0} : nullptr;
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
    return resize_directory(std::bit_ceil(paths / paths_per_page_max + 1)) && spread(from);
  }
  if (!resize_directory(from.pages_.size())) return false;
  std::copy(from.pages_.begin(), from.pages_.end(), pages_.begin());
  paths_ = from.paths_;
  return true;
}

// In a larger directory: all pages anew. Winners stay winners, and the order of each path's others
// stays.
bool live_index::spread(const live_index& from) noexcept {
  for (const live_place& each : from.pages_) {
    const live_page* const old = each.page;
    for (std::uint32_t i = 0; old && i < old->count; ++i) {
      live_place& into = pages_[page_of(id_of(old->slots()[i]))];
      if (!writable(into.page, 1)) return false;
      place(*into.page, old->slots()[i], into.page->count);
      into.set_tags();
    }
    const live_page* const hidden = old ? old->hidden : nullptr;
    for (std::uint32_t i = 0; hidden && i < hidden->count; ++i) {
      live_page* const winners = pages_[page_of(id_of(hidden->slots()[i]))].page;
      live_page* const page = writable(winners->hidden, 1);
      if (!page) return false;
      place(*page, hidden->slots()[i], page->count);
    }
  }
  for (const live_place& each : from.pages_) {
    if (!each.page) continue;
    if (each.page->hidden) replace(each.page->hidden);
    replace(each.page);
  }
  paths_ = from.paths_;
  return true;
}

void live_index::replace(live_page* page) noexcept {
  page->next_replaced = std::exchange(replaced_, page);
}

live_page* live_index::writable(live_page*& place, std::uint32_t more) noexcept {
  live_page* const page = place;
  const bool own = page && page->version == version_;
  const std::uint32_t count = page ? page->count : 0;
  if (own && count + more <= page->capacity) return page;
  const std::uint32_t capacity = std::max<std::uint32_t>(4, std::bit_ceil(count + more));
  live_page* const made = make_page(pages_.memory(), version_, capacity);
  if (!made) return nullptr;
  place = made;
  if (!page) return made;
  made->hidden = page->hidden;
  made->count = count;
  std::copy(page->slots(), page->slots() + count, made->slots());
  if (own) {
    free_page(pages_.memory(), page);
  } else {
    replace(page);
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
  live_place& into = pages_[page_of(id)];
  live_slot slot = added;
  slot.tag = tag_of(id);
  const auto wins_over = [&](const live_slot& other) {
    return first_wins ? slot.owner->rank < other.owner->rank : slot.owner->rank > other.owner->rank;
  };
  const asset_path path = path_of(slot, id);
  const live_slot* const known = into.find(path);
  if (!known) {
    overfull_ = into.page && into.page->count == paths_of_page_max;
    live_page* const page = overfull_ ? nullptr : writable(into.page, 1);
    if (!page) return false;
    place(*page, slot, page->count);
    into.set_tags();
    ++paths_;
    return true;
  }
  const std::ptrdiff_t winner = known - into.page->slots();
  live_page* const page = writable(into.page, 0);
  live_page* const hidden = page ? writable(page->hidden, 1) : nullptr;
  if (!hidden) return false;
  std::uint32_t at = 0;
  if (wins_over(page->slots()[winner])) {
    std::swap(page->slots()[winner], slot);  // comes in front of all whom it hid
  } else {
    at = hidden->find(path, slot.tag);
    while (at < hidden->count && !wins_over(hidden->slots()[at])) {
      at = hidden->find(path, slot.tag, at + 1);
    }
  }
  place(*hidden, slot, at);
  return true;
}

bool live_index::erase(path_id id, const live_slot& erased) noexcept {
  live_place& from = pages_[page_of(id)];
  live_page* const page = writable(from.page, 0);
  if (!page) return false;
  const auto position_in = [&](const live_page& in) {
    const auto same = [&](const live_slot& slot) {
      return slot.owner == erased.owner && slot.number == erased.number;
    };
    return static_cast<std::uint32_t>(std::find_if(in.slots(), in.slots() + in.count, same) -
                                      in.slots());
  };
  const std::uint32_t winner = position_in(*page);
  const bool wins = winner < page->count;
  const asset_path path = path_of(erased, id);
  const std::uint32_t heir = wins && page->hidden ? page->hidden->find(path, tag_of(id)) : 0;
  if (wins && (!page->hidden || heir == page->hidden->count)) {
    take_out(*page, winner);
    from.set_tags();
    --paths_;
    return true;
  }
  live_page* const hidden = writable(page->hidden, 0);
  if (!hidden) return false;
  if (wins) page->slots()[winner] = hidden->slots()[heir];
  take_out(*hidden, wins ? heir : position_in(*hidden));
  return true;
}

// Calls `visit` with the id and the slot of all that a mount has, until it says false: of a large
// one in the order of their pages, roughly, so that the pages in use stay in the cache and are made
// side by side.
template <class Visit>
bool live_index::by_pages(const mount& owner, Visit visit) const noexcept {
  struct item {  // no more than differs, as there are a million
    path_id id;
    const char* text;
    std::uint32_t number;
    std::uint16_t length;
  };
  constexpr int part_bits = 11;
  constexpr std::size_t parts = std::size_t{1} << part_bits;
  const std::size_t count = owner.content.entries.size() + owner.folders.size();
  if (count < 8 * parts) return each_of(owner, visit);
  const auto part_of = [this](path_id id) { return (id.value * multiplier_) >> (64 - part_bits); };
  vec<item> items(pages_.memory(), memory_tag::vfs);
  vec<std::uint32_t> next(pages_.memory(), memory_tag::vfs);
  if (!items.resize_for_overwrite(count) || !next.resize(parts + 1)) return false;
  (void)each_of(owner, [&](path_id id, const live_slot&) {
    ++next[part_of(id) + 1];
    return true;
  });
  for (std::size_t i = 1; i <= parts; ++i) next[i] += next[i - 1];
  (void)each_of(owner, [&](path_id id, const live_slot& slot) {
    items[next[part_of(id)]++] = {id, slot.text, slot.number, slot.length};
    return true;
  });
  return std::all_of(items.begin(), items.end(), [&](const item& one) {
    return visit(one.id, live_slot{one.text, &owner, one.number, one.length});
  });
}

bool live_index::add(const mount& added, bool first_wins) noexcept {
  return by_pages(added,
                  [&](path_id id, const live_slot& slot) { return insert(id, slot, first_wins); });
}

bool live_index::remove(const mount& removed) noexcept {
  return by_pages(removed, [&](path_id id, const live_slot& slot) { return erase(id, slot); });
}

void live_index::discard() noexcept {
  for (const live_place& each : pages_) {
    live_page* const page = each.page;
    if (!page || page->version != version_) continue;
    if (page->hidden && page->hidden->version == version_) free_page(pages_.memory(), page->hidden);
    free_page(pages_.memory(), page);
  }
  pages_.clear();
}

void live_index::free_pages(live_page* first, allocator& memory) noexcept {
  while (first) free_page(memory, std::exchange(first, first->next_replaced));
}

void live_index::free_all() noexcept {
  for (const live_place& each : pages_) {
    if (each.page) free_page(pages_.memory(), each.page->hidden);
    free_page(pages_.memory(), each.page);
  }
  pages_.clear();
}

}  // namespace overture::vfs
