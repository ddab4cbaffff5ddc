#include "write_folder.hpp"

#include <utility>

#include "errors.hpp"
#include "folder_storage.hpp"
#include "open_file.hpp"
#include "search_path.hpp"

namespace physfs {
namespace {

// Changed under changes(), which is also held while it is used.
folder_storage* folder = nullptr;
overture::atomic<const char*> folder_name{nullptr};

// Calls `act` with the folder that a name is written to, the name in it, and its mount if it is one
// of PHYSFS_mountRW(): the first whose mount point the name begins with. A mount at the root serves
// if there is no write folder.
template <class Act>
auto in_write_folder(const char* path, Act act) noexcept -> decltype(act(*folder, "", nullptr)) {
  clean_name name;
  const reading mounts;
  if (!mounts || !name.clean(path)) return {};
  mount* at_root = nullptr;
  for (mount* each : mounts) {
    joined_name room;
    std::string_view rest;
    folder_storage* const to = each->contents->writable();
    if (!to) continue;
    if (each->point[0] == '\0') {
      if (!at_root) at_root = each;
    } else if (each->locate(name, room, rest) == mount::relation::inside) {
      return act(*to, rest, each);
    }
  }
  {
    const std::scoped_lock lock(changes());
    if (folder) return act(*folder, name.view(), nullptr);
  }
  joined_name room;
  std::string_view rest;
  if (at_root && at_root->locate(name, room, rest) == mount::relation::inside) {
    return act(*at_root->contents->writable(), rest, at_root);
  }
  set_error(PHYSFS_ERR_NO_WRITE_DIR);
  return {};
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
  return in_write_folder(
      path, [&](folder_storage& to, std::string_view name, mount* from) -> PHYSFS_File* {
        if (name.empty()) return refuse(PHYSFS_ERR_NOT_A_FILE), nullptr;
        content* const opened = to.create(name, append);
        if (!opened) return nullptr;
        const std::int64_t end = append ? opened->length() : 0;
        return open_file::to_write(opened, end < 0 ? 0 : static_cast<std::uint64_t>(end), from);
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
  return physfs::in_write_folder(path, [](physfs::folder_storage& to, std::string_view name,
                                          physfs::mount*) { return to.make_folder(name); });
}

int PHYSFS_delete(const char* path) {
  return physfs::in_write_folder(path, [](physfs::folder_storage& to, std::string_view name,
                                          physfs::mount*) { return to.remove(name); });
}
