// SPDX-License-Identifier: Zlib
//
// Names: what there is, where, and what it is.
#include "errors.hpp"
#include "files/write_folder.hpp"
#include "search/search_path.hpp"

using physfs::asked_mounts;
using physfs::clean_name;
using physfs::joined_name;
using physfs::mount;
using physfs::reading;
using physfs::refuse;
using physfs::text_list;

namespace {

// The names in a folder, of all mounts. A name that is no path has none.
bool names_in(const char* folder, text_list& names) {
  clean_name name;
  const reading mounts;
  if (!mounts) return false;
  if (!name.clean(folder)) return physfs::present_error() != PHYSFS_ERR_INVALID_ARGUMENT;
  for (const mount* each : mounts) {
    joined_name room;
    std::string_view rest;
    switch (each->locate(name, room, rest)) {
      case mount::relation::outside:
        break;
      case mount::relation::above: {
        std::string_view below(each->point);
        below.remove_prefix(name.view().empty() ? 0 : name.view().size() + 1);
        if (!names.push(below.substr(0, below.find('/')))) return false;
        break;
      }
      case mount::relation::inside:
        if (!each->contents->list(rest, names)) return false;
        break;
    }
  }
  return true;
}

// The first mount that has a path. Null, and an error, if none has it.
const mount* mount_with(const reading& mounts, const clean_name& name) {
  asked_mounts asked(mounts, name);
  while (const mount* const each = asked.next()) {
    joined_name room;
    std::string_view rest;
    const mount::relation where = each->locate(name, room, rest);
    if (where == mount::relation::above) return each;
    if (where == mount::relation::inside && each->contents->exists(rest)) return each;
  }
  return nullptr;
}

}  // namespace

int PHYSFS_exists(const char* path) {
  clean_name name;
  if (!name.clean(path)) return 0;
  const reading mounts;
  return mounts && mount_with(mounts, name) ? 1 : 0;
}

const char* PHYSFS_getRealDir(const char* path) {
  clean_name name;
  if (!name.clean(path)) return nullptr;
  const reading mounts;
  const mount* const found = mounts ? mount_with(mounts, name) : nullptr;
  return found ? found->name : nullptr;
}

int PHYSFS_stat(const char* path, PHYSFS_Stat* stat) {
  clean_name name;
  if (!stat) return refuse(PHYSFS_ERR_INVALID_ARGUMENT);
  if (!name.clean(path)) return 0;
  const reading mounts;
  if (!mounts) return 0;
  *stat = physfs::unknown_stat();
  if (name.view().empty()) {
    *stat = physfs::folder_stat();
    stat->readonly = physfs::has_write_folder() ? 0 : 1;
    return 1;
  }
  asked_mounts asked(mounts, name);
  while (const mount* const each = asked.next()) {
    joined_name room;
    std::string_view rest;
    const mount::relation where = each->locate(name, room, rest);
    if (where == mount::relation::above) {
      *stat = physfs::folder_stat();
      return 1;
    }
    if (where == mount::relation::inside && each->contents->stat(rest, *stat)) return 1;
  }
  return 0;
}

int PHYSFS_isDirectory(const char* path) {
  PHYSFS_Stat found{};
  return PHYSFS_stat(path, &found) && found.filetype == PHYSFS_FILETYPE_DIRECTORY ? 1 : 0;
}

int PHYSFS_isSymbolicLink(const char* path) {
  PHYSFS_Stat found{};
  return PHYSFS_stat(path, &found) && found.filetype == PHYSFS_FILETYPE_SYMLINK ? 1 : 0;
}

PHYSFS_sint64 PHYSFS_getLastModTime(const char* path) {
  PHYSFS_Stat found{};
  return PHYSFS_stat(path, &found) ? found.modtime : -1;
}

// The callbacks run when the search path is no longer read: they may do what they like and take as
// long as they like.
int PHYSFS_enumerate(const char* folder, PHYSFS_EnumerateCallback callback, void* data) {
  if (!callback || !folder) return refuse(PHYSFS_ERR_INVALID_ARGUMENT);
  text_list names;
  if (!names_in(folder, names)) return 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const PHYSFS_EnumerateCallbackResult answer = callback(data, folder, names[i]);
    if (answer == PHYSFS_ENUM_ERROR) return refuse(PHYSFS_ERR_APP_CALLBACK);
    if (answer == PHYSFS_ENUM_STOP) break;
  }
  return 1;
}

char** PHYSFS_enumerateFiles(const char* folder) {
  text_list names;
  if (!names_in(folder, names)) return nullptr;
  names.sort_unique();
  return names.released();
}

void PHYSFS_enumerateFilesCallback(const char* folder, PHYSFS_EnumFilesCallback callback,
                                   void* data) {
  text_list names;
  if (!callback || !names_in(folder, names)) return;
  for (std::size_t i = 0; i < names.size(); ++i) callback(data, folder, names[i]);
}

void PHYSFS_freeList(void* list) {
  physfs::deallocate(list);
}
