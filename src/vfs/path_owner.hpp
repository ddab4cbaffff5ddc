// Looks a path up among everything mounted: files listed by the mounts, and files written since.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/function_ref.hpp"
#include "vfs/configuration.hpp"

namespace overture::vfs {

// A file or folder of one mount.
struct path_owner {
  const mount* owner = nullptr;           // null: not found
  const written_name* written = nullptr;  // set for a file or folder the mount does not list
  std::uint32_t entry = 0;                // number of a file the mount lists
  bool folder = false;

  [[nodiscard]] explicit operator bool() const noexcept { return owner != nullptr; }
};

[[nodiscard]] inline path_owner owner_of(const live_entry& entry) noexcept {
  return {entry.owner, nullptr, entry.index(), entry.is_folder()};
}

// The name on disk of a loose file.
[[nodiscard]] inline const char* name_of_loose(const path_owner& file) noexcept {
  const archive& content = file.owner->content;
  return file.written ? file.written->on_disk
                      : content.names.data() + content.entries[file.entry].offset;
}

// Calls `visit` for each mount's file or folder of the path, the winner first, until it returns
// false.
void visit_owners(const snapshot& now, const asset_path& path,
                  function_ref<bool(const path_owner&)> visit) noexcept;

// The winner. If nothing was written to the path, the index alone decides.
[[nodiscard]] path_owner find_written_owner(const snapshot& now, const asset_path& path) noexcept;
[[nodiscard]] inline path_owner find_owner(const snapshot& now, const asset_path& path) noexcept {
  if (now.has_written(path)) return find_written_owner(now, path);
  return owner_of(now.index.find(path));
}
// The winner among the files.
[[nodiscard]] path_owner find_written_file(const snapshot& now, const asset_path& path) noexcept;
[[nodiscard]] inline path_owner find_file(const snapshot& now, const asset_path& path) noexcept {
  if (now.has_written(path)) return find_written_file(now, path);
  return owner_of(now.index.find_file(path));
}

}  // namespace overture::vfs
