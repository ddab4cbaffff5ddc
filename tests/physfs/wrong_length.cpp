// SPDX-License-Identifier: Zlib
//
// A library with one mistake, for the tests of what compares libraries: it links to Debian's and
// replaces one function.
#include <dlfcn.h>
#include <physfs.h>

extern "C" [[gnu::visibility("default")]] PHYSFS_sint64 PHYSFS_fileLength(PHYSFS_File* file) {
  static const auto right =
      reinterpret_cast<decltype(&PHYSFS_fileLength)>(dlsym(RTLD_NEXT, "PHYSFS_fileLength"));
  const PHYSFS_sint64 length = right(file);
  return length > 0 && PHYSFS_tell(file) > 0 ? length + 1 : length;
}
