// SPDX-License-Identifier: Zlib
//
// The library as a whole, and the folders of the system.
#include <cstring>

#include "errors.hpp"
#include "files/open_file.hpp"
#include "files/write_folder.hpp"
#include "memory.hpp"
#include "search/search_path.hpp"
#include "storage/archivers.hpp"
#include "storage/boost.hpp"
#include "storage/folder_storage.hpp"
#include "system/platform.hpp"

using physfs::joined_name;
using physfs::refuse;

namespace {

const char* program_folder = nullptr;
const char* user_folder = nullptr;

#define OVERTURE_PHYSFS_FORMAT(EXTENSION, DESCRIPTION, LINKS) \
  {EXTENSION, DESCRIPTION, "the authors of Overture", "", LINKS}
constexpr PHYSFS_ArchiveInfo formats[] = {
    OVERTURE_PHYSFS_FORMAT("ZIP", "ZIP, also as PK3 and WZ", 1),
    OVERTURE_PHYSFS_FORMAT("7Z", "7z", 1),
    OVERTURE_PHYSFS_FORMAT("GRP", "Build engine", 0),
    OVERTURE_PHYSFS_FORMAT("PAK", "Quake", 0),
    OVERTURE_PHYSFS_FORMAT("HOG", "Descent", 0),
    OVERTURE_PHYSFS_FORMAT("MVL", "Descent II, films", 0),
    OVERTURE_PHYSFS_FORMAT("WAD", "Doom", 0),
    OVERTURE_PHYSFS_FORMAT("SLB", "Independence War", 0),
    OVERTURE_PHYSFS_FORMAT("ISO", "ISO 9660", 1),
    OVERTURE_PHYSFS_FORMAT("VDF", "Gothic", 0),
    OVERTURE_PHYSFS_FORMAT("BIN", "Chasm: The Rift", 0),
    OVERTURE_PHYSFS_FORMAT("GOB", "Dark Forces, Jedi Knight", 0),
    OVERTURE_PHYSFS_FORMAT("LAB", "Outlaws", 0),
    OVERTURE_PHYSFS_FORMAT("LFD", "X-Wing, TIE Fighter", 0),
    OVERTURE_PHYSFS_FORMAT("POD", "Terminal Velocity", 0),
    OVERTURE_PHYSFS_FORMAT("DAT", "Resident Evil 3", 0),
};
#undef OVERTURE_PHYSFS_FORMAT

const char* kept_folder(bool found, const joined_name& folder) {
  return found ? physfs::kept_text(folder.view()) : nullptr;
}

}  // namespace

int PHYSFS_init(const char* argv0) {
  if (physfs::is_running()) return refuse(PHYSFS_ERR_IS_INITIALIZED);
  const PHYSFS_Allocator* const functions = physfs::allocator_in_use();
  if (functions->Init && !functions->Init()) return 0;
  joined_name program;
  joined_name user;
  const bool has_program = physfs::find_program_folder(argv0, program);
  const bool has_user = physfs::find_user_folder(user);
  program_folder = kept_folder(has_program, program);
  user_folder = kept_folder(has_user, user);
  if (program_folder && user_folder && physfs::begin_search_path()) {
    physfs::begin_boost();
    return 1;
  }
  physfs::end_search_path();
  if (functions->Deinit) functions->Deinit();
  return 0;
}

int PHYSFS_deinit(void) {
  if (!physfs::is_running()) return refuse(PHYSFS_ERR_NOT_INITIALIZED);
  if (!physfs::suspend_search_path()) return 0;
  if (!physfs::open_file::close_all()) {
    physfs::resume_search_path();
    return 0;
  }
  physfs::end_write_folder();
  physfs::end_boost();
  program_folder = user_folder = nullptr;
  physfs::permit_links(false);
  physfs::end_search_path();
  physfs::end_archivers();
  const PHYSFS_Allocator* const functions = physfs::allocator_in_use();
  if (functions->Deinit) functions->Deinit();
  return 1;
}

int PHYSFS_isInit(void) {
  return physfs::is_running() ? 1 : 0;
}

void PHYSFS_getLinkedVersion(PHYSFS_Version* version) {
  if (version) PHYSFS_VERSION(version);
}

int PHYSFS_setAllocator(const PHYSFS_Allocator* allocator) {
  if (physfs::is_running()) return refuse(PHYSFS_ERR_IS_INITIALIZED);
  if (allocator && (!allocator->Malloc || !allocator->Realloc || !allocator->Free)) {
    return refuse(PHYSFS_ERR_INVALID_ARGUMENT);
  }
  physfs::use_allocator(allocator);
  return 1;
}

const PHYSFS_Allocator* PHYSFS_getAllocator(void) {
  return physfs::is_running() ? physfs::allocator_in_use() : nullptr;
}

// Tables stay until PHYSFS_deinit(): what was returned before an archiver came is still valid.
const PHYSFS_ArchiveInfo** PHYSFS_supportedArchiveTypes(void) {
  if (!physfs::is_running()) return refuse(PHYSFS_ERR_NOT_INITIALIZED), nullptr;
  physfs::list<const PHYSFS_ArchiveInfo*> table;
  for (const PHYSFS_ArchiveInfo& each : formats) {
    if (!table.push(&each)) return nullptr;
  }
  if (!physfs::list_archivers(table) || !table.push(nullptr)) return nullptr;
  return physfs::kept_table(table);
}

int PHYSFS_registerArchiver(const PHYSFS_Archiver* archiver) {
  if (!physfs::is_running()) return refuse(PHYSFS_ERR_NOT_INITIALIZED);
  if (!archiver) return refuse(PHYSFS_ERR_INVALID_ARGUMENT);
  for (const PHYSFS_ArchiveInfo& each : formats) {
    const char* const extension = archiver->info.extension;
    if (extension && PHYSFS_utf8stricmp(each.extension, extension) == 0) {
      return refuse(PHYSFS_ERR_DUPLICATE);
    }
  }
  return physfs::add_archiver(*archiver) ? 1 : 0;
}

int PHYSFS_deregisterArchiver(const char* extension) {
  if (!physfs::is_running()) return refuse(PHYSFS_ERR_NOT_INITIALIZED);
  if (!extension) return refuse(PHYSFS_ERR_INVALID_ARGUMENT);
  return physfs::remove_archiver(extension) ? 1 : 0;
}

const char* PHYSFS_getDirSeparator(void) {
  return physfs::separator();
}

const char* PHYSFS_getBaseDir(void) {
  return program_folder;
}

const char* PHYSFS_getUserDir(void) {
  return user_folder;
}

const char* PHYSFS_getPrefDir(const char* organisation, const char* application) {
  if (!physfs::is_running()) return refuse(PHYSFS_ERR_NOT_INITIALIZED), nullptr;
  if (!organisation || organisation[0] == '\0' || !application || application[0] == '\0') {
    return refuse(PHYSFS_ERR_INVALID_ARGUMENT), nullptr;
  }
  joined_name own;
  if (!physfs::find_own_folder(organisation, application, own) ||
      !physfs::make_folders(own.c_str())) {
    return nullptr;
  }
  return physfs::kept_text(own.view());
}

// CD-ROMs are mounted by their paths like all else.
char** PHYSFS_getCdRomDirs(void) {
  return physfs::text_list().released();
}

void PHYSFS_getCdRomDirsCallback(PHYSFS_StringCallback callback, void* data) {
  (void)callback, (void)data;
}

int PHYSFS_setSaneConfig(const char* organisation, const char* application,
                         const char* archive_extension, int include_cd_roms, int archives_first) {
  (void)include_cd_roms;
  const char* const own = PHYSFS_getPrefDir(organisation, application);
  if (!own) return 0;
  if (!PHYSFS_setWriteDir(own)) return refuse(PHYSFS_ERR_NO_WRITE_DIR);
  if (!PHYSFS_mount(own, nullptr, 0) || !PHYSFS_mount(program_folder, nullptr, 1)) return 0;
  if (!archive_extension) return 1;
  char** const names = PHYSFS_enumerateFiles("/");
  const std::string_view extension(archive_extension);
  for (char** each = names; each && *each; ++each) {
    const std::string_view name(*each);
    if (name.size() <= extension.size() + 1) continue;
    const std::size_t dot = name.size() - extension.size() - 1;
    if (name[dot] != '.' || PHYSFS_utf8stricmp(*each + dot + 1, archive_extension) != 0) continue;
    const char* const folder = PHYSFS_getRealDir(*each);
    joined_name archive;
    if (folder && archive.join(folder, name)) {
      (void)PHYSFS_mount(archive.c_str(), nullptr, archives_first ? 0 : 1);
    }
  }
  PHYSFS_freeList(static_cast<void*>(names));
  return 1;
}
