// SPDX-License-Identifier: Zlib
#include "vfs/tree/live_index.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "vfs/tree/mount_items.hpp"

namespace overture::vfs_detail {
using namespace base_detail;

namespace {

constexpr std::size_t buckets_min = 16;

// A mount of many_paths or more is added in order of the directory, with pages in chunks.
constexpr int part_bits = 11;
constexpr std::size_t many_paths = std::size_t{8} << part_bits;

bool is_same(const live_item& a, const live_item& b) noexcept {
  return a.slot.owner == b.slot.owner && a.number == b.number;
}

}  // namespace

// --- Looking up ----------------------------------------------------------------------------------

path_id live_index::id_of(const live_item& item) const noexcept {
  const live_entry entry = entry_of(item);
  return entry.is_folder() ? entry.owner->folders[entry.index()].id
                           : entry.owner->content.entries[entry.index()].id;
}

std::string_view live_index::text_of(path_id id) const noexcept {
  const live_bucket& bucket = buckets_[bucket_of(id)];
  if (!bucket.page) return {};
  const std::uint32_t winner =
      bucket.tags.find(id, [&](std::uint32_t at) { return id_of(bucket.page->item(at)) == id; });
  if (winner != tag_word::slots) return text_of(bucket.page->slots[winner]);
  const live_overflow* const overflow = bucket.page->overflow;
  for (std::uint32_t i = 0; overflow && i < overflow->count; ++i) {
    const live_item& item = overflow->items()[i];
    if (item.tag == tag_of(id) && id_of(item) == id) return text_of(item.slot);
  }
  return {};
}

std::uint32_t live_index::find_in_overflow(const live_overflow& overflow, const asset_path& path,
                                           std::uint32_t from) const noexcept {
  const live_item* const items = overflow.items();
  const std::uint32_t tag = tag_of(path.id);
  while (from < overflow.count &&
         (items[from].tag != tag || !same_text(text_of(items[from].slot), path.text))) {
    ++from;
  }
  return from;
}

live_entry live_index::find_anywhere(const asset_path& path) const noexcept {
  live_entry found;
  visit_entries(path, [&](const live_entry& entry) {
    if (!found) found = entry;
  });
  return found.is_removal() ? first_of(path, true) : found;
}

live_entry live_index::first_of(const asset_path& path, bool folder) const noexcept {
  live_entry first;
  visit_all(path, [&](const live_entry& entry) {
    if (!first && entry.is_folder() == folder) first = entry;
  });
  return first;
}

// --- Making the next version ---------------------------------------------------------------------

bool live_index::resize_directory(std::size_t buckets) noexcept {
  if (!buckets_.resize(buckets)) return false;
  shift_ = 64 - std::countr_zero(buckets);
  return true;
}

// The multiplier depends on an address, so an attacker cannot craft names that share a page.
bool live_index::begin() noexcept {
  if (!resize_directory(buckets_min)) return false;
  multiplier_ = detail::xxh_round(reinterpret_cast<std::uintptr_t>(buckets_.data()),
                                  reinterpret_cast<std::uintptr_t>(this)) |
                1;
  return true;
}

bool live_index::begin(const live_index& from, std::size_t more) noexcept {
  multiplier_ = from.multiplier_;
  pages_.begin(from.pages_.version() + 1);
  if (!owners_.reserve(from.owners_.size() + 1)) return false;
  for (const live_owner& each : from.owners_) (void)owners_.push_back(each);
  const std::size_t paths = from.paths_ + more;
  if (paths > from.buckets_.size() * paths_per_page_max) {
    if (!resize_directory(std::bit_ceil(paths / paths_per_page_max + 1))) return false;
    pages_.take_chunks(from.paths_ >= many_paths ? buckets_.size() : 0);
    const bool done = spread(from);
    pages_.take_chunks(0);
    return done;
  }
  if (!resize_directory(from.buckets_.size())) return false;
  std::copy(from.buckets_.begin(), from.buckets_.end(), buckets_.begin());
  paths_ = from.paths_;
  return true;
}

// Inserts everything into a larger directory: winners first, losers in their order.
bool live_index::spread(const live_index& from) noexcept {
  const auto never = [](const live_item&) { return false; };
  for (const live_bucket& old : from.buckets_) {
    const std::uint32_t count = old.tags.first_empty();
    for (std::uint32_t i = 0; i < count; ++i) {
      const live_item item = old.page->item(i);
      if (!insert(id_of(item), item, never)) return false;
    }
  }
  for (const live_bucket& old : from.buckets_) {
    const live_overflow* const overflow = old.page ? old.page->overflow : nullptr;
    for (std::uint32_t i = 0; overflow && i < overflow->count; ++i) {
      if (!insert(id_of(overflow->items()[i]), overflow->items()[i], never)) return false;
    }
  }
  for (const live_bucket& old : from.buckets_) {
    if (!old.page) continue;
    if (old.page->overflow) pages_.replace(old.page->overflow);
    pages_.replace(old.page);
  }
  return true;
}

live_bucket* live_index::writable(path_id id) noexcept {
  live_bucket& here = buckets_[bucket_of(id)];
  live_page* const page = pages_.writable(here.page);
  if (!page) return nullptr;
  here.page = page;
  return &here;
}

// `wins_over(item)`: whether the added item wins over `item`.
template <class WinsOver>
bool live_index::insert(path_id id, const live_item& added, WinsOver wins_over) noexcept {
  live_bucket* const bucket = writable(id);
  if (!bucket) return false;
  live_page& page = *bucket->page;
  live_item item = added;
  item.tag = tag_of(id);
  const asset_path path{text_of(item.slot), id};
  const std::uint32_t winner = find_slot(*bucket, path);
  const bool in_page = winner != tag_word::slots;
  const live_overflow* const known = page.overflow;
  if (!in_page && (!known || find_in_overflow(*known, path, 0) == known->count)) {
    return insert_new(*bucket, id, item);
  }
  live_overflow* const overflow = pages_.writable_overflow(page, 1);
  if (!overflow) return false;
  std::uint32_t at = 0;
  if (in_page && wins_over(page.item(winner))) {
    const live_item hidden = {page.slots[winner], page.numbers[winner], item.tag};
    page.put(winner, item);
    item = hidden;  // the first of the losers
  } else {
    at = find_in_overflow(*overflow, path, 0);
    while (at < overflow->count && !wins_over(overflow->items()[at])) {
      at = find_in_overflow(*overflow, path, at + 1);
    }
  }
  overflow->put_in(item, at);
  return true;
}

// Adds a path that no mount had.
bool live_index::insert_new(live_bucket& into, path_id id, const live_item& added) noexcept {
  const std::uint32_t at = into.tags.first_empty();
  if (at < tag_word::slots) {
    into.page->put(at, added);
    into.tags.set(at, id);
  } else {
    const live_overflow* const known = into.page->overflow;
    overfull_ = known && known->paths_without_slot == paths_of_page_max - tag_word::slots;
    live_overflow* const overflow = overfull_ ? nullptr : pages_.writable_overflow(*into.page, 1);
    if (!overflow) return false;
    overflow->put_in(added, overflow->count);
    ++overflow->paths_without_slot;
    into.tags.set_more(true);
  }
  ++paths_;
  return true;
}

bool live_index::erase(path_id id, const live_item& erased) noexcept {
  live_bucket* const from = writable(id);
  if (!from) return false;
  live_page& page = *from->page;
  const asset_path path{text_of(erased.slot), id};
  const std::uint32_t at = from->tags.find(
      id, [&](std::uint32_t candidate) { return is_same(page.item(candidate), erased); });
  if (at == tag_word::slots) return erase_from_overflow(*from, path, erased);
  const std::uint32_t heir = page.overflow ? find_in_overflow(*page.overflow, path, 0) : 0;
  if (page.overflow && heir != page.overflow->count) {
    live_overflow* const overflow = pages_.writable_overflow(page, 0);
    if (!overflow) return false;
    page.put(at, overflow->items()[heir]);
    overflow->take_out(heir);
    return true;
  }
  page.put(at, page.item(from->tags.take_out(at)));
  --paths_;
  return !from->tags.more() || fill_free_slot(*from);
}

// Removes an item from the overflow.
bool live_index::erase_from_overflow(live_bucket& from, const asset_path& path,
                                     const live_item& erased) noexcept {
  live_overflow* const overflow = pages_.writable_overflow(*from.page, 0);
  if (!overflow) return false;
  const live_item* const at =
      std::find_if(overflow->items(), overflow->items() + overflow->count,
                   [&](const live_item& item) { return is_same(item, erased); });
  overflow->take_out(static_cast<std::uint32_t>(at - overflow->items()));
  if (find_slot(from, path) != tag_word::slots) return true;
  if (find_in_overflow(*overflow, path, 0) != overflow->count) return true;
  --paths_;
  from.tags.set_more(--overflow->paths_without_slot != 0);
  return true;
}

// Moves a path from the overflow to the page, which now has room for it.
bool live_index::fill_free_slot(live_bucket& of) noexcept {
  live_overflow* const overflow = pages_.writable_overflow(*of.page, 0);
  if (!overflow) return false;
  for (std::uint32_t i = 0; i < overflow->count; ++i) {
    const live_item item = overflow->items()[i];
    const path_id id = id_of(item);
    if (find_slot(of, {text_of(item.slot), id}) != tag_word::slots) continue;
    const std::uint32_t at = of.tags.first_empty();
    of.page->put(at, item);
    of.tags.set(at, id);
    overflow->take_out(i);
    of.tags.set_more(--overflow->paths_without_slot != 0);
    break;
  }
  return true;
}

// --- Whole mounts --------------------------------------------------------------------------------

template <class Visit>
bool live_index::each_of(const mount& owner, std::uint16_t number, Visit visit) noexcept {
  if (mount_items::count_of(owner) < many_paths) return mount_items::each(owner, number, visit);
  mount_items items(buckets_.memory());
  const auto part_of = [this](path_id id) { return (id.value * multiplier_) >> (64 - part_bits); };
  if (!items.sort(owner, number, std::size_t{1} << part_bits, part_of)) return false;
  pages_.take_chunks(buckets_.size());
  const bool all = items.each_sorted(visit);
  pages_.take_chunks(0);
  return all;
}

bool live_index::add(const mount& added, bool first_wins) noexcept {
  const live_owner* const unused =
      std::find_if(owners_.begin(), owners_.end(), [](const live_owner& one) { return !one.is; });
  const auto number = static_cast<std::uint16_t>(unused - owners_.begin());
  if (unused == owners_.end() && !owners_.push_back({})) return false;
  owners_[number] = {added.content.names.data(), &added};
  return each_of(added, number, [&](path_id id, const live_item& item) {
    return insert(id, item, [&](const live_item& other) {
      const std::uint32_t rank = owners_[other.slot.owner].is->rank;
      return first_wins ? added.rank < rank : added.rank > rank;
    });
  });
}

bool live_index::remove(const mount& removed) noexcept {
  live_owner* const owner = std::find_if(owners_.begin(), owners_.end(),
                                         [&](const live_owner& one) { return one.is == &removed; });
  const auto number = static_cast<std::uint16_t>(owner - owners_.begin());
  const bool done =
      each_of(removed, number, [&](path_id id, const live_item& item) { return erase(id, item); });
  *owner = {};
  return done;
}

void live_index::discard() noexcept {
  for (const live_bucket& each : buckets_) {
    live_page* const page = each.page;
    if (!page || !pages_.owns(*page)) continue;
    if (page->overflow && pages_.owns(*page->overflow)) {
      live_pages::free(buckets_.memory(), page->overflow);
    }
    live_pages::free(buckets_.memory(), page);
  }
  buckets_.clear();
}

void live_index::free_blocks(live_block* first, allocator& memory) noexcept {
  while (first) live_pages::free(memory, std::exchange(first, first->next_replaced));
}

void live_index::free_all() noexcept {
  for (const live_bucket& each : buckets_) {
    if (each.page) live_pages::free(buckets_.memory(), each.page->overflow);
    live_pages::free(buckets_.memory(), each.page);
  }
  buckets_.clear();
}

}  // namespace overture::vfs_detail
