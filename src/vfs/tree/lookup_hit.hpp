// SPDX-License-Identifier: Zlib
//
// Looks a path up among everything mounted: files listed by the mounts, and files written since.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/function_ref.hpp"
#include "vfs/tree/mount_table.hpp"

namespace overture::vfs_detail {

// A file or folder of one mount.
struct lookup_hit {
  const mount* owner = nullptr;           // null: not found
  const written_name* written = nullptr;  // set for a file or folder the mount does not list
  std::uint32_t entry = 0;                // number of a file the mount lists
  bool folder = false;

  [[nodiscard]] explicit operator bool() const noexcept { return owner != nullptr; }
};

[[nodiscard]] inline lookup_hit hit_of(const live_entry& entry) noexcept {
  return {entry.owner, nullptr, entry.index(), entry.is_folder()};
}

// The name on disk of a loose file.
[[nodiscard]] inline const char* name_of_loose(const lookup_hit& file) noexcept {
  const archives_detail::archive& content = file.owner->content;
  return file.written ? file.written->on_disk
                      : content.names.data() + content.entries[file.entry].offset;
}

// Calls `visit` for each mount's file or folder of the path, the winner first, until it returns
// false.
void visit_hits(const snapshot& now, const asset_path& path,
                function_ref<bool(const lookup_hit&)> visit) noexcept;

// The winner. If nothing was written to the path, the index alone decides.
[[nodiscard]] lookup_hit look_up_written(const snapshot& now, const asset_path& path) noexcept;
[[nodiscard]] inline lookup_hit look_up(const snapshot& now, const asset_path& path) noexcept {
  if (now.has_written(path)) return look_up_written(now, path);
  return hit_of(now.index.find(path));
}
// The winner among the files.
[[nodiscard]] lookup_hit look_up_written_file(const snapshot& now, const asset_path& path) noexcept;
[[nodiscard]] inline lookup_hit look_up_file(const snapshot& now, const asset_path& path) noexcept {
  if (now.has_written(path)) return look_up_written_file(now, path);
  return hit_of(now.index.find_file(path));
}

}  // namespace overture::vfs_detail
