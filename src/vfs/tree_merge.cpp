#include "vfs/tree_merge.hpp"

#include <algorithm>

namespace overture::vfs {

result<void> tree_merge::begin(const live_index& index, asset_path folder) noexcept {
  bool found = false;
  bool complete = true;
  index.visit_all(folder, [&](const live_slot& slot) {
    found = true;
    if (!slot.is_folder()) return;
    const mount_folder& range = slot.owner->folders[slot.index()];
    if (range.first == range.end) return;  // a root without files
    way added{slot.owner, range.first, range.end, static_cast<std::uint32_t>(ways_.size()), {}};
    added.path = added.from->path_at(added.at);
    complete = complete && ways_.push_back(added);
  });
  if (!complete) return fail(errc::out_of_memory, "no memory to list the folder");
  if (ways_.empty() && !folder.text.empty()) {
    return found ? fail(errc::not_a_file, "a file, not a folder")
                 : fail(errc::not_found, "no mount has this folder");
  }
  std::make_heap(ways_.begin(), ways_.end(), later);
  return {};
}

bool tree_merge::later(const way& a, const way& b) noexcept {
  if (path_before(b.path, a.path)) return true;
  if (path_before(a.path, b.path)) return false;
  return a.priority > b.priority;
}

path_id tree_merge::id() const noexcept {
  const way& first = ways_[0];
  return first.from->content.entries[first.from->order[first.at]].id;
}

void tree_merge::advance_first(std::uint32_t at) noexcept {
  std::pop_heap(ways_.begin(), ways_.end(), later);
  way& moved = ways_.back();
  moved.at = at;
  if (at == moved.end) {
    ways_.pop_back();
    return;
  }
  moved.path = moved.from->path_at(at);
  std::push_heap(ways_.begin(), ways_.end(), later);
}

void tree_merge::skip_path() noexcept {
  const std::string_view skipped = path();
  while (!done() && path() == skipped) advance_first(ways_[0].at + 1);
}

void tree_merge::skip_child(std::string_view child) noexcept {
  const auto is_part = [child](std::string_view path) {
    return path.starts_with(child) && (path.size() == child.size() || path[child.size()] == '/');
  };
  while (!done() && is_part(path())) {
    const way& first = ways_[0];
    // They lie side by side: look for the end in steps that double, then halve.
    std::uint32_t low = first.at;
    std::uint32_t step = 1;
    while (step < first.end - low && is_part(first.from->path_at(low + step))) {
      low += step;
      step *= 2;
    }
    std::uint32_t high = std::min(low + step, first.end);
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      (is_part(first.from->path_at(middle)) ? low : high) = middle;
    }
    advance_first(high);
  }
}

}  // namespace overture::vfs
