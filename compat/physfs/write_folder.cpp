#include "write_folder.hpp"

#include <utility>

#include "errors.hpp"
#include "folder_storage.hpp"
#include "open_file.hpp"
#include "physfs_overture.h"
#include "search_path.hpp"

namespace physfs {
namespace {

// Changed under changes(), which is also held while it is used.
folder_storage* folder = nullptr;
overture::atomic<const char*> folder_name{nullptr};

// Where a name is written to: a folder, the name in it, and its mount if it is one of
// PHYSFS_mountRW().
struct destination {
  folder_storage* folder = nullptr;
  std::string_view name;
  mount* from = nullptr;
  joined_name room;
};

// The first mount whose mount point the name begins with.
bool find_mount(const reading& mounts, const clean_name& name, bool at_root,
                destination& to) noexcept {
  for (mount* each : mounts) {
    to.folder = each->contents->writable();
    if (!to.folder || (each->point[0] == '\0') != at_root) continue;
    to.from = each;
    if (each->locate(name, to.room, to.name) == mount::relation::inside) return true;
  }
  to.folder = nullptr;
  return false;
}

// Under changes(). A mount at the root serves if there is no write folder.
bool find_destination(const reading& mounts, const clean_name& name, destination& to) noexcept {
  if (find_mount(mounts, name, false, to)) return true;
  if (!folder) {
    return find_mount(mounts, name, true, to) || refuse(PHYSFS_ERR_NO_WRITE_DIR);
  }
  to.folder = folder;
  to.name = name.view();
  to.from = nullptr;
  return true;
}

// Calls `act` with the destination of a name. The lock is not held where a mount is written to.
template <class Act>
auto in_write_folder(const char* path, Act act) noexcept -> decltype(act(destination{})) {
  clean_name name;
  const reading mounts;
  if (!mounts || !name.clean(path)) return {};
  destination to;
  {
    const std::scoped_lock lock(changes());
    if (!find_destination(mounts, name, to)) return {};
    if (!to.from) return act(to);
  }
  return act(to);
}

}  // namespace

bool has_write_folder() noexcept {
  return folder_name.load() != nullptr;
}

void end_write_folder() noexcept {
  folder_name.store(nullptr);
  destroy(std::exchange(folder, nullptr));
}

PHYSFS_File* write_folder_open(const char* path, bool append) noexcept {
  return in_write_folder(path, [&](const destination& to) -> PHYSFS_File* {
    if (to.name.empty()) return refuse(PHYSFS_ERR_NOT_A_FILE), nullptr;
    content* const opened = to.folder->create(to.name, append);
    if (!opened) return nullptr;
    const std::int64_t end = append ? opened->length() : 0;
    return open_file::to_write(opened, end < 0 ? 0 : static_cast<std::uint64_t>(end), to.from);
  });
}

}  // namespace physfs

const char* PHYSFS_getWriteDir(void) {
  return physfs::folder_name.load();
}

int PHYSFS_setWriteDir(const char* path) {
  using namespace physfs;
  if (!is_running()) return refuse(PHYSFS_ERR_NOT_INITIALIZED);
  const std::scoped_lock lock(changes());
  if (open_file::any_written()) return refuse(PHYSFS_ERR_FILES_STILL_OPEN);
  end_write_folder();
  if (!path) return 1;
  folder = open_folder(path, true);
  if (!folder) return 0;
  folder_name.store(folder->name());
  return 1;
}

int PHYSFS_mkdir(const char* path) {
  return physfs::in_write_folder(
      path, [](const physfs::destination& to) { return to.folder->make_folder(to.name); });
}

int PHYSFS_delete(const char* path) {
  return physfs::in_write_folder(
      path, [](const physfs::destination& to) { return to.folder->remove(to.name); });
}

int PHYSFS_overture_rename(const char* from, const char* to) {
  using namespace physfs;
  clean_name old_name;
  clean_name new_name;
  const reading mounts;
  if (!mounts || !old_name.clean(from) || !new_name.clean(to)) return 0;
  destination source;
  destination target;
  const std::scoped_lock lock(changes());
  if (!find_destination(mounts, old_name, source)) return 0;
  if (!find_destination(mounts, new_name, target)) return 0;
  if (source.folder != target.folder) return refuse(PHYSFS_ERR_UNSUPPORTED);
  if (source.name.empty() || target.name.empty()) return refuse(PHYSFS_ERR_INVALID_ARGUMENT);
  return source.folder->rename(source.name, target.name) ? 1 : 0;
}
