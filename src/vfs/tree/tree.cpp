// SPDX-License-Identifier: Zlib
#include "vfs/tree/tree.hpp"

#include <algorithm>

#include "base/limit_text.hpp"

namespace overture::vfs_detail {
namespace {

// In tree_entry::entry while the tree is being built: a marker, which removes later entries of the
// same path.
constexpr std::uint32_t removal_bit = 1u << 31;
static_assert(limits::entries_max < removal_bit);

}  // namespace

result<void> tree::build(std::span<mount* const> mounts, bool first_wins,
                         std::span<tree_entry, 2> colliding) noexcept {
  if (result<void> done = collect(mounts); !done) return done;
  std::sort(entries_.begin(), entries_.end(), [&](const tree_entry& a, const tree_entry& b) {
    const int order = a.path().compare(b.path());
    if (order != 0) return order < 0;
    return first_wins ? a.mount < b.mount : a.mount > b.mount;
  });
  if (result<void> done = separate_losers(); !done) return done;

  if (result<void> begun = begin_index(); !begun) return begun;
  const auto id_of = [&](const tree_entry& entry) {
    return mounts[entry.mount]->content.entries[entry.entry].id;
  };
  for (entry_index i = 0; i < entries_.size(); ++i) {
    const asset_path path{entries_[i].path(), id_of(entries_[i])};
    const entry_index other = index_.find_value(
        path.id, [&](entry_index taken) { return id_of(entries_[taken]) == path.id; });
    if (other != frozen_index::none) {
      colliding[0] = entries_[other];
      colliding[1] = entries_[i];
      return fail(errc::collision, "two different paths have the same hash");
    }
    index_.add(path, i);
  }
  return {};
}

result<void> tree::collect(std::span<mount* const> mounts) noexcept {
  std::size_t total = 0;
  for (std::size_t i = 0; i < mounts.size(); ++i) total += mounts[i]->content.entries.size();
  if (total > limits::entries_max) {
    return fail(errc::limit, limit_text::files);
  }
  if (!entries_.reserve(total))
    return fail(errc::out_of_memory, "out of memory for the index of the tree");
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    const archives_detail::archive& content = mounts[i]->content;
    for (std::uint32_t j = 0; j < content.entries.size(); ++j) {
      const std::string_view path = content.path_of(content.entries[j]);
      const bool removal = content.entries[j].flaw == archives_detail::entry_flaw::removal;
      (void)entries_.push_back({path.data(), removal ? j | removal_bit : j,
                                static_cast<std::uint16_t>(path.size()),
                                static_cast<std::uint16_t>(i)});  // has room
    }
  }
  return {};
}

// Keeps the first entry of each path in entries_.
result<void> tree::separate_losers() noexcept {
  std::size_t winners = 0;
  std::string_view removed;
  bool any_removed = false;
  for (const tree_entry& entry : entries_) {
    if (any_removed && entry.path() == removed) continue;
    if ((entry.entry & removal_bit) != 0) {
      any_removed = true;
      removed = entry.path();
    } else if (winners > 0 && entries_[winners - 1].path() == entry.path()) {
      if (!losers_.push_back({static_cast<entry_index>(winners - 1), entry.mount})) {
        return fail(errc::out_of_memory, "out of memory for the list of overridden files");
      }
    } else {
      entries_[winners++] = entry;
    }
  }
  while (entries_.size() > winners) entries_.pop_back();
  return {};
}

result<void> tree::begin_index() noexcept {
  std::uint64_t end = 0;
  for (const tree_entry& entry : entries_) (void)frozen_index::reserve_text(entry.length, &end);
  if (end > frozen_index::end_max)
    return fail(errc::limit, "the paths of the tree take more than 32 GiB");
  if (!index_.reset(entries_.size(), end)) {
    return fail(errc::out_of_memory, "out of memory for the index of the tree");
  }
  return {};
}

std::span<const tree_loser> tree::losers_of(entry_index index) const noexcept {
  const auto before = [](const tree_loser& a, entry_index b) { return a.entry < b; };
  const auto after = [](entry_index a, const tree_loser& b) { return a < b.entry; };
  const tree_loser* const first = std::lower_bound(losers_.begin(), losers_.end(), index, before);
  const tree_loser* const last = std::upper_bound(first, losers_.end(), index, after);
  return {first, last};
}

}  // namespace overture::vfs_detail
