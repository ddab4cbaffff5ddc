// SPDX-License-Identifier: Zlib
//
// Reads archives with PhysicsFS, the library that most games use for these formats.
#pragma once

#if __has_include(<physfs.h>)
#include <physfs.h>
#define OVERTURE_HAS_PHYSFS 1
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include <map>
#include <string>

#include "support/temp_folder.hpp"

namespace overture {

#ifndef OVERTURE_HAS_PHYSFS
inline constexpr bool has_physfs = false;

inline std::map<std::string, std::string> load_with_physfs(const std::string&) {
  return {};
}
inline std::map<std::string, std::string> load_with_physfs(const std::string&, const std::string&) {
  return {};
}
#else
inline constexpr bool has_physfs = true;

namespace physfs_peer {

inline std::string read(const std::string& path) {
  PHYSFS_File* const file = PHYSFS_openRead(path.c_str());
  if (!file) return "error";
  std::string bytes(static_cast<std::size_t>(PHYSFS_fileLength(file)), '\0');
  const PHYSFS_sint64 count = PHYSFS_readBytes(file, bytes.data(), bytes.size());
  PHYSFS_close(file);
  return count == static_cast<PHYSFS_sint64>(bytes.size()) ? bytes : "error";
}

inline void walk(const std::string& folder, std::map<std::string, std::string>& contents) {
  char** const names = PHYSFS_enumerateFiles(folder.c_str());
  for (char** name = names; name && *name; ++name) {
    const std::string path = folder.empty() ? *name : folder + "/" + *name;
    PHYSFS_Stat stat;
    if (!PHYSFS_stat(path.c_str(), &stat)) continue;
    if (stat.filetype == PHYSFS_FILETYPE_DIRECTORY) {
      walk(path, contents);
    } else {
      contents[path] = read(path);
    }
  }
  PHYSFS_freeList(names);
}

// Leaks inside PhysicsFS are not ours to find.
struct may_leak {
#ifdef __SANITIZE_ADDRESS__
  may_leak() { __lsan_disable(); }
  ~may_leak() { __lsan_enable(); }
  may_leak(const may_leak&) = delete;
  may_leak& operator=(const may_leak&) = delete;
#endif
};

}  // namespace physfs_peer

// Every path of an archive with its content; empty if PhysicsFS cannot mount it.
inline std::map<std::string, std::string> load_with_physfs(const std::string& archive_path) {
  std::map<std::string, std::string> contents;
  [[maybe_unused]] const physfs_peer::may_leak tolerant;
  if (!PHYSFS_init(nullptr)) return contents;
  PHYSFS_permitSymbolicLinks(1);
  if (PHYSFS_mount(archive_path.c_str(), nullptr, 1)) physfs_peer::walk("", contents);
  PHYSFS_deinit();
  return contents;
}

inline std::map<std::string, std::string> load_with_physfs(const std::string& bytes,
                                                           const std::string& name) {
  const temp_folder folder;
  return load_with_physfs(folder.write(name, bytes));
}
#endif

}  // namespace overture
