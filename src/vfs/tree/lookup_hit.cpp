// SPDX-License-Identifier: Zlib
#include "vfs/tree/lookup_hit.hpp"

namespace overture::vfs_detail {
namespace {

// Whether a file or folder that a mount lists has not been removed since.
bool is_there(const live_entry& entry, const asset_path& path) noexcept {
  const mount& owner = *entry.owner;
  if (!owner.written.any()) return true;
  const written_name* const name = owner.written.find(path);
  if (!name) return true;
  if (!entry.is_folder()) return name->state.load() != written_state::removed;
  const mount_folder& listed = owner.folders[entry.index()];
  return name->files_below.load() > -static_cast<std::int64_t>(listed.end - listed.first);
}

// The path's file or folder in a mount that does not list it, because it was written later.
lookup_hit unlisted(const mount& of, const asset_path& path) noexcept {
  const written_name* const name = of.written.find(path);
  if (!name) return {};
  if (name->state.load() == written_state::file && of.find_entry(path.text) == no_entry) {
    return {&of, name, 0, false};
  }
  if (name->files_below.load() > 0 && !of.lists_below(path.text)) return {&of, name, 0, true};
  return {};
}

// Merges written and listed files in order of priority.
class hit_walk {
 public:
  hit_walk(const snapshot& now, const asset_path& path,
           function_ref<bool(const lookup_hit&)> visit) noexcept
      : now_(now), path_(path), visit_(visit) {}

  void run() noexcept {
    if (!now_.has_written(path_)) {
      now_.index.visit_all(path_, [&](const live_entry& entry) {
        if (going_on_) going_on_ = visit_(hit_of(entry));
      });
      return;
    }
    now_.index.visit_entries(path_, [&](const live_entry& entry) {
      if (!going_on_) return;
      visit_unlisted(now_.precedence(*entry.owner));
      removed_ = removed_ || entry.is_removal();
      if (removed_ && !entry.is_folder()) return;
      if (going_on_ && is_there(entry, path_)) going_on_ = visit_(hit_of(entry));
    });
    visit_unlisted(SIZE_MAX);
  }

 private:
  void visit_unlisted(std::size_t before) noexcept {
    while (going_on_) {
      std::size_t best = before;
      lookup_hit found;
      for (const mount* const each : now_.changing) {
        const std::size_t at = now_.precedence(*each);
        if (at < next_ || at >= best) continue;
        const lookup_hit here = unlisted(*each, path_);
        if (!here || (removed_ && !here.folder)) continue;
        best = at;
        found = here;
      }
      if (!found) return;
      next_ = best + 1;
      going_on_ = visit_(found);
    }
  }

  const snapshot& now_;
  asset_path path_;
  function_ref<bool(const lookup_hit&)> visit_;
  std::size_t next_ = 0;  // mounts of lower precedence have had their unlisted files visited
  bool removed_ = false;  // a marker removes all further files
  bool going_on_ = true;
};

}  // namespace

void visit_hits(const snapshot& now, const asset_path& path,
                function_ref<bool(const lookup_hit&)> visit) noexcept {
  hit_walk(now, path, visit).run();
}

lookup_hit look_up_written(const snapshot& now, const asset_path& path) noexcept {
  lookup_hit found;
  visit_hits(now, path, [&](const lookup_hit& one) {
    found = one;
    return false;
  });
  return found;
}

lookup_hit look_up_written_file(const snapshot& now, const asset_path& path) noexcept {
  lookup_hit found;
  visit_hits(now, path, [&](const lookup_hit& one) {
    if (!one.folder) found = one;
    return one.folder;
  });
  return found;
}

}  // namespace overture::vfs_detail
