// SPDX-License-Identifier: Zlib
#include "files/write_folder.hpp"

#include <utility>

#include "errors.hpp"
#include "files/open_file.hpp"
#include "physfs_overture.h"
#include "search/search_path.hpp"
#include "storage/archivers.hpp"

namespace physfs {
namespace {

mount* folder = nullptr;  // guarded by changes()
overture::atomic<const char*> folder_name{nullptr};

// Where a name is written to: what it is in, and its name there.
struct destination {
  destination() = default;
  ~destination() {
    if (held) from->release(1);
  }
  destination(const destination&) = delete;
  destination& operator=(const destination&) = delete;

  write_target* target = nullptr;
  std::string_view name;
  mount* from = nullptr;
  bool held = false;
  joined_name room;
};

// The first mount whose mount point the name begins with.
bool find_mount(const reading& mounts, const clean_name& name, bool at_root,
                destination& to) noexcept {
  for (mount* each : mounts) {
    to.target = each->contents->writable();
    if (!to.target || (each->point[0] == '\0') != at_root) continue;
    to.from = each;
    if (each->locate(name, to.room, to.name) == mount::relation::inside) return true;
  }
  return false;
}

bool use_write_folder(const clean_name& name, destination& to) noexcept {
  const std::scoped_lock lock(changes());
  if (!folder) return false;
  folder->users.fetch_add(1);
  to.held = true;
  to.from = folder;
  to.target = folder->contents->writable();
  to.name = name.view();
  return true;
}

// A mount at the root serves if there is no write folder.
bool find_destination(const reading& mounts, const clean_name& name, destination& to) noexcept {
  return find_mount(mounts, name, false, to) || use_write_folder(name, to) ||
         find_mount(mounts, name, true, to) || refuse(PHYSFS_ERR_NO_WRITE_DIR);
}

// Calls `act` with the destination of a name.
template <class Act>
auto in_write_folder(const char* path, Act act) noexcept
    -> decltype(act(std::declval<const destination&>())) {
  clean_name name;
  const reading mounts;
  destination to;
  if (!mounts || !name.clean(path) || !find_destination(mounts, name, to)) return {};
  return act(to);
}

// The old one is destroyed without the lock: its archiver is the host's code.
void replace_folder(mount* made, const char* name) noexcept {
  mount* old = nullptr;
  {
    const std::scoped_lock lock(changes());
    old = std::exchange(folder, made);
    folder_name.store(name);
  }
  if (old) old->release(1);
}

}  // namespace

bool has_write_folder() noexcept {
  return folder_name.load() != nullptr;
}

void end_write_folder() noexcept {
  replace_folder(nullptr, nullptr);
}

PHYSFS_File* write_folder_open(const char* path, bool append) noexcept {
  return in_write_folder(path, [&](const destination& to) -> PHYSFS_File* {
    if (to.name.empty()) return refuse(PHYSFS_ERR_NOT_A_FILE), nullptr;
    content* const opened = to.target->create(to.name, append);
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
  if (open_file::any_written()) return refuse(PHYSFS_ERR_FILES_STILL_OPEN);
  end_write_folder();
  if (!path) return 1;
  storage* const opened = open_to_write(path);
  mount* const made = opened ? lone_mount(opened, path) : nullptr;
  if (!made) return 0;
  replace_folder(made, made->name);
  return 1;
}

int PHYSFS_mkdir(const char* path) {
  return physfs::in_write_folder(
      path, [](const physfs::destination& to) { return to.target->make_folder(to.name); });
}

int PHYSFS_delete(const char* path) {
  return physfs::in_write_folder(
      path, [](const physfs::destination& to) { return to.target->remove(to.name); });
}

int PHYSFS_overture_rename(const char* from, const char* to) {
  using namespace physfs;
  clean_name old_name;
  clean_name new_name;
  const reading mounts;
  if (!mounts || !old_name.clean(from) || !new_name.clean(to)) return 0;
  destination source;
  destination target;
  if (!find_destination(mounts, old_name, source)) return 0;
  if (!find_destination(mounts, new_name, target)) return 0;
  if (source.target != target.target) return refuse(PHYSFS_ERR_UNSUPPORTED);
  if (source.name.empty() || target.name.empty()) return refuse(PHYSFS_ERR_INVALID_ARGUMENT);
  return source.target->rename(source.name, target.name) ? 1 : 0;
}
