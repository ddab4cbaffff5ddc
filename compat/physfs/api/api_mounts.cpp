// SPDX-License-Identifier: Zlib
//
// The search path.
#include "errors.hpp"
#include "files/open_file.hpp"
#include "overture/base/os.hpp"
#include "physfs_overture.h"
#include "search/parsed_archives.hpp"
#include "search/search_path.hpp"
#include "storage/archivers.hpp"
#include "storage/folder_storage.hpp"
#include "storage/inner_storage.hpp"

using physfs::clean_name;
using physfs::mount;
using physfs::reading;
using physfs::refuse;
using physfs::storage;

namespace {

mount* mount_named(const reading& mounts, const char* name) {
  if (!name) {
    physfs::set_error(PHYSFS_ERR_INVALID_ARGUMENT);
    return nullptr;
  }
  for (mount* each : mounts) {
    if (std::string_view(each->name) == name) return each;
  }
  physfs::set_error(PHYSFS_ERR_NOT_MOUNTED);
  return nullptr;
}

bool is_mounted(const char* name) {
  const reading mounts;
  if (!mounts) return false;
  for (const mount* each : mounts) {
    if (std::string_view(each->name) == name) return true;
  }
  return false;
}

// An archiver of the host comes before the library's own formats if the extension is its own.
storage* open_archive(const char* name, const physfs::loan& lent,
                      const overture::file_status& status = {}) {
  if (!physfs::has_archivers()) {
    storage* const kept = physfs::take_kept_archive(name, status);
    return kept ? kept : physfs::open_archive(name, lent, status);
  }
  bool claimed = false;
  storage* opened = physfs::open_by_archivers(name, lent, true, claimed);
  if (!opened && !claimed) opened = physfs::open_archive(name, lent, status);
  if (!opened && !claimed) opened = physfs::open_by_archivers(name, lent, false, claimed);
  return opened;
}

storage* open_storage(const char* path) {
  const overture::result<overture::file_status> found = overture::system_os().status(path, true);
  if (!found) return refuse(found.error()), nullptr;
  const bool is_folder = found->kind == overture::file_kind::folder;
  return is_folder ? static_cast<storage*>(physfs::open_folder(path, false))
                   : open_archive(path, {}, *found);
}

// Mounts what `open` opens, unless there is a mount of that name.
template <class Open>
int mount_new(const char* name, const char* mount_point, int append, Open open) {
  clean_name point;
  if (!name) return refuse(PHYSFS_ERR_INVALID_ARGUMENT);
  if (!physfs::is_running()) return refuse(PHYSFS_ERR_NOT_INITIALIZED);
  if (is_mounted(name)) return 1;
  if (!point.clean(mount_point ? mount_point : "/")) return 0;
  storage* const opened = open();
  return opened && physfs::add_mount(opened, name, point, append != 0) ? 1 : 0;
}

}  // namespace

int PHYSFS_mount(const char* path, const char* mount_point, int append) {
  return mount_new(path, mount_point, append, [&] { return open_storage(path); });
}

int PHYSFS_mountIo(PHYSFS_Io* io, const char* name, const char* mount_point, int append) {
  if (!io) return refuse(PHYSFS_ERR_INVALID_ARGUMENT);
  if (io->version != 0) return refuse(PHYSFS_ERR_UNSUPPORTED);
  if (!io->read || !io->seek || !io->length) return refuse(PHYSFS_ERR_INVALID_ARGUMENT);
  return mount_new(name, mount_point, append, [&] { return open_archive(name, {.io = io}); });
}

int PHYSFS_mountMemory(const void* bytes, PHYSFS_uint64 size, void (*release)(void*),
                       const char* name, const char* mount_point, int append) {
  if (!bytes) return refuse(PHYSFS_ERR_INVALID_ARGUMENT);
  return mount_new(name, mount_point, append, [&] {
    return open_archive(name, {.bytes = bytes, .size = size, .release = release});
  });
}

int PHYSFS_mountHandle(PHYSFS_File* file, const char* name, const char* mount_point, int append) {
  if (!physfs::open_file::of(file)) return 0;
  return mount_new(name, mount_point, append, [&] { return open_archive(name, {.file = file}); });
}

int PHYSFS_mountRW(const char* path, const char* mount_point, int append) {
  return mount_new(path, mount_point, append, [&] { return physfs::open_to_write(path); });
}

int PHYSFS_overture_mountInside(const char* archive, const char* mount_point, int append) {
  return mount_new(archive, mount_point, append, [&]() -> storage* {
    physfs::inner_storage* const made = physfs::make<physfs::inner_storage>();
    if (!made) return nullptr;
    if (!made->load(archive) || !made->take(open_archive(archive, made->lent()))) {
      physfs::destroy(made);
      return nullptr;
    }
    return made;
  });
}

int PHYSFS_unmount(const char* path) {
  if (!path) return refuse(PHYSFS_ERR_INVALID_ARGUMENT);
  if (!physfs::is_running()) return refuse(PHYSFS_ERR_NOT_INITIALIZED);
  return physfs::remove_mount(path) ? 1 : 0;
}

int PHYSFS_canUnmount(const char* path) {
  const reading mounts;
  const mount* const found = mounts ? mount_named(mounts, path) : nullptr;
  if (!found) return 0;
  return !found->has_open_files() || refuse(PHYSFS_ERR_FILES_STILL_OPEN) ? 1 : 0;
}

int PHYSFS_addToSearchPath(const char* path, int append) {
  return PHYSFS_mount(path, nullptr, append);
}

int PHYSFS_removeFromSearchPath(const char* path) {
  return PHYSFS_unmount(path);
}

// Succeeds where the archive is not mounted too.
int PHYSFS_setRoot(const char* archive, const char* folder) {
  clean_name root;
  if (!archive) return refuse(PHYSFS_ERR_INVALID_ARGUMENT);
  if (!root.clean(folder ? folder : "/")) return 0;
  if (!physfs::is_running()) return refuse(PHYSFS_ERR_NOT_INITIALIZED);
  return physfs::set_root(archive, root) ? 1 : 0;
}

const char* PHYSFS_getMountPoint(const char* path) {
  const reading mounts;
  const mount* const found = mounts ? mount_named(mounts, path) : nullptr;
  if (!found) return nullptr;
  return found->point[0] == '\0' ? "/" : found->point;
}

char** PHYSFS_getSearchPath(void) {
  const reading mounts;
  if (!mounts) return nullptr;
  physfs::text_list names;
  for (const mount* each : mounts) {
    if (!names.push(each->name)) return nullptr;
  }
  return names.released();
}

void PHYSFS_getSearchPathCallback(PHYSFS_StringCallback callback, void* data) {
  physfs::list<const char*> names;
  {
    const reading mounts;
    if (!mounts || !callback) return;
    for (const mount* each : mounts) {
      if (!names.push(each->name)) return;
    }
  }
  for (const char* each : names) callback(data, each);
}

void PHYSFS_permitSymbolicLinks(int permit) {
  physfs::permit_links(permit != 0);
}

int PHYSFS_symbolicLinksPermitted(void) {
  return physfs::links_permitted() ? 1 : 0;
}
