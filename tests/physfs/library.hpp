// SPDX-License-Identifier: Zlib
//
// A library with PhysicsFS's interface, loaded beside others of the same name.
#pragma once

// The functions that later versions advise against are compared too.
#define PHYSFS_DEPRECATED
#include <physfs.h>

#include <string>

struct library {
  // clang-format off: it indents the list further each time.
#define OVERTURE_EACH_FUNCTION(X) \
  X(init) X(deinit) X(mount) X(unmount) X(setWriteDir) X(getWriteDir) X(mkdir) \
  X(exists) X(stat) X(isDirectory) X(isSymbolicLink) X(getLastModTime) X(getRealDir) \
  X(getMountPoint) X(enumerate) X(enumerateFiles) X(getSearchPath) X(freeList) \
  X(permitSymbolicLinks) X(symbolicLinksPermitted) X(openRead) X(openWrite) \
  X(openAppend) X(close) X(read) X(readBytes) X(write) X(writeBytes) X(seek) X(tell) \
  X(eof) X(fileLength) X(setBuffer) X(flush) X(readULE16) X(readSBE32) X(readULE64) \
  X(writeUBE32) X(getLastErrorCode) X(getLastError) X(setErrorCode) X(getErrorByCode) \
  X(supportedArchiveTypes) X(utf8stricmp)
  // clang-format on
#define OVERTURE_DECLARE(name) decltype(&PHYSFS_##name) name;
  OVERTURE_EACH_FUNCTION(OVERTURE_DECLARE)
#undef OVERTURE_DECLARE
  decltype(&PHYSFS_delete) remove;

  // Ends the program with a message if a function is missing.
  explicit library(const std::string& path);
};
