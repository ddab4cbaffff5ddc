// SPDX-License-Identifier: Zlib
#include "vfs/tree/tree_merge.hpp"

#include <algorithm>

#include "archives/names/path_order.hpp"

namespace overture::vfs_detail {
using namespace base_detail;

result<void> tree_merge::begin(const snapshot& now, asset_path folder, depth how_deep) noexcept {
  const bool has_written = !now.changing.empty();
  bool found = false;
  bool found_folder = folder.text.empty();
  bool complete = true;
  const auto visit = [&](const lookup_hit& has) {
    found = true;
    found_folder = found_folder || has.folder;
    if (!has.folder || has.written) return true;
    const mount& from = *has.owner;
    const mount_folder& range = from.folders[has.entry];
    complete = add({&from,
                    range.first,
                    range.end,
                    has_written ? now.precedence(from) : inputs_.size(),
                    false,
                    from.written.any(),
                    {}});
    return complete;
  };
  visit_hits(now, folder, visit);
  for (const mount* const each : now.changing) {
    complete = complete && add_written(*each, folder, now.precedence(*each), how_deep);
  }
  if (!complete) return fail(errc::out_of_memory, "out of memory for listing the folder");
  if (!found_folder) {
    return found ? fail(errc::not_a_file, "a file, not a folder")
                 : fail(errc::not_found, "no mount has this folder");
  }
  std::make_heap(inputs_.begin(), inputs_.end(), later);
  pass_removed();
  return {};
}

// Adds files below the folder that the mount does not list. `open` has the folders still to be
// searched.
bool tree_merge::add_written(const mount& from, asset_path folder, std::size_t priority,
                             depth how_deep) noexcept {
  const written_name* inside = folder.text.empty() ? nullptr : from.written.find(folder);
  if (!inside && !folder.text.empty()) return true;
  const auto first = static_cast<std::uint32_t>(written_.size());
  vec<const written_name*> open(written_.memory(), memory_tag::vfs);
  for (;;) {
    for (const written_name* name = from.written.newest_in(inside); name;
         name = name->older_sibling) {
      const bool is_file =
          name->state.load() == written_state::file && from.find_entry(name->path()) == no_entry;
      if (is_file && !written_.push_back({name, name->path()})) return false;
      if (!from.written.newest_in(name)) continue;
      const bool kept = how_deep == depth::whole
                            ? open.push_back(name)
                            : written_.push_back({name, name->path_as_folder()});
      if (!kept) return false;
    }
    if (open.empty()) break;
    inside = open.back();
    open.pop_back();
  }
  std::sort(written_.begin() + first, written_.end(),
            [](const written_path& a, const written_path& b) {
              return archives_detail::path_before(a.path, b.path);
            });
  return add(
      {&from, first, static_cast<std::uint32_t>(written_.size()), priority, true, false, {}});
}

// Adds an input, unless it is empty. False if out of memory.
bool tree_merge::add(input added) noexcept {
  return !move_to(added, added.at) || inputs_.push_back(added);
}

// Moves to the first existing file at or after `at`. False if there is none.
bool tree_merge::move_to(input& moved, std::uint32_t at) const noexcept {
  for (moved.at = at; moved.at < moved.end; ++moved.at) {
    if (moved.may_lack && is_removed(moved)) continue;
    moved.path = path_at(moved, moved.at);
    return true;
  }
  return false;
}

bool tree_merge::is_removed(const input& of) const noexcept {
  const archives_detail::archive& content = of.from->content;
  const archives_detail::archive_entry& entry = content.entries[of.from->order[of.at]];
  const written_name* const name = of.from->written.find({content.path_of(entry), entry.id});
  return name && name->state.load() == written_state::removed;
}

std::string_view tree_merge::path_at(const input& of, std::uint32_t at) const noexcept {
  return of.written ? written_[at].path : of.from->path_at(at);
}

bool tree_merge::later(const input& a, const input& b) noexcept {
  if (archives_detail::path_before(b.path, a.path)) return true;
  if (archives_detail::path_before(a.path, b.path)) return false;
  return a.priority > b.priority;
}

lookup_hit tree_merge::winner() const noexcept {
  const input& first = inputs_[0];
  if (first.written) return {first.from, written_[first.at].name, 0, false};
  return {first.from, nullptr, first.from->order[first.at], false};
}

path_id tree_merge::id() const noexcept {
  const input& first = inputs_[0];
  if (first.written) return written_[first.at].name->id;
  return first.from->content.entries[first.from->order[first.at]].id;
}

void tree_merge::advance_first(std::uint32_t at) noexcept {
  std::pop_heap(inputs_.begin(), inputs_.end(), later);
  input& moved = inputs_.back();
  if (!move_to(moved, at)) {
    inputs_.pop_back();
    return;
  }
  std::push_heap(inputs_.begin(), inputs_.end(), later);
}

void tree_merge::skip_path() noexcept {
  pass_path();
  pass_removed();
}

void tree_merge::pass_path() noexcept {
  const std::string_view skipped = path();
  while (!done() && path() == skipped) advance_first(inputs_[0].at + 1);
}

bool tree_merge::front_is_removal() const noexcept {
  const input& first = inputs_[0];
  if (first.written || first.from->content.removals == 0) return false;
  return first.from->content.entries[first.from->order[first.at]].flaw ==
         archives_detail::entry_flaw::removal;
}

void tree_merge::pass_removed() noexcept {
  while (!done() && front_is_removal()) pass_path();
}

void tree_merge::skip_child(std::string_view child) noexcept {
  const auto is_part = [child](std::string_view path) {
    return path.starts_with(child) && (path.size() == child.size() || path[child.size()] == '/');
  };
  while (!done() && is_part(path())) {
    const input& first = inputs_[0];
    // They are adjacent: find their end with steps that double, then halve.
    std::uint32_t low = first.at;
    std::uint32_t step = 1;
    while (step < first.end - low && is_part(path_at(first, low + step))) {
      low += step;
      step *= 2;
    }
    std::uint32_t high = std::min(low + step, first.end);
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      (is_part(path_at(first, middle)) ? low : high) = middle;
    }
    advance_first(high);
  }
  pass_removed();
}

}  // namespace overture::vfs_detail
