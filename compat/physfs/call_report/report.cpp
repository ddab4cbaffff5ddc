// SPDX-License-Identifier: Zlib
//
// Preloaded into a game by `overture physfs-env --report`: defines the functions of PhysicsFS,
// calls the next definition of each, and counts. libphysfs.so.1 itself counts nothing.
#include <dlfcn.h>

#include "call_report/counted_call.hpp"
#include "physfs_overture.h"

using overture::call_report::counted_call;
using overture::call_report::in_callback;
using overture::call_report::work;

namespace {

// The next definition of a function; null if the game's library is older. A library that came with
// a plug-in is not among the next ones.
template <class F>
F next(const char* name) noexcept {
  void* found = dlsym(RTLD_NEXT, name);
  if (!found) {
    void* const library = dlopen("libphysfs.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (library) found = dlsym(library, name);
  }
  return reinterpret_cast<F>(found);
}

bool is_well(const void* answer) noexcept {
  return answer != nullptr;
}
bool is_well(char** answer) noexcept {
  return answer != nullptr;
}
bool is_well(int answer) noexcept {
  return answer != 0;
}

struct visit {
  PHYSFS_EnumerateCallback each = nullptr;
  PHYSFS_EnumFilesCallback each_file = nullptr;
  void* data = nullptr;
};

PHYSFS_EnumerateCallbackResult visited(void* data, const char* folder, const char* name) {
  const auto& of = *static_cast<const visit*>(data);
  const in_callback now;
  return of.each(of.data, folder, name);
}

void file_visited(void* data, const char* folder, const char* name) {
  const auto& of = *static_cast<const visit*>(data);
  const in_callback now;
  of.each_file(of.data, folder, name);
}

}  // namespace

#define NEXT(NAME) static const auto real = next<decltype(&PHYSFS_##NAME)>("PHYSFS_" #NAME)

// A function whose answer is null or 0 if it fails.
#define COUNTED(RESULT, KIND, NAME, PARAMETERS, ARGUMENTS) \
  RESULT PHYSFS_##NAME PARAMETERS {                        \
    NEXT(NAME);                                            \
    if (!real) return {};                                  \
    counted_call call(work::KIND);                         \
    RESULT const answer = real ARGUMENTS;                  \
    call.answered(is_well(answer));                        \
    return answer;                                         \
  }
#define LOOKS_UP(RESULT, NAME, PARAMETERS, ARGUMENTS, FOUND) \
  RESULT PHYSFS_##NAME PARAMETERS {                          \
    NEXT(NAME);                                              \
    if (!real) return {};                                    \
    counted_call call(work::look_up);                        \
    RESULT const answer = real ARGUMENTS;                    \
    call.answered(FOUND);                                    \
    call.looked_for(path, FOUND);                            \
    return answer;                                           \
  }
// A function of an open file; WELL says whether it succeeded.
#define OF_FILE(RESULT, KIND, NAME, PARAMETERS, ARGUMENTS, WELL) \
  RESULT PHYSFS_##NAME PARAMETERS {                              \
    NEXT(NAME);                                                  \
    if (!real) return {};                                        \
    counted_call call(work::KIND);                               \
    RESULT const answer = real ARGUMENTS;                        \
    call.answered(WELL);                                         \
    return answer;                                               \
  }
#define NUMBER(KIND, TYPE)                                                                   \
  int PHYSFS_read##KIND(PHYSFS_File* file, PHYSFS_##TYPE* value) {                           \
    NEXT(read##KIND);                                                                        \
    if (!real) return {};                                                                    \
    counted_call call(work::read);                                                           \
    const int answer = real(file, value);                                                    \
    call.answered(answer != 0);                                                              \
    call.has_read(file, sizeof *value, answer != 0 ? int64_t{sizeof *value} : -1);           \
    return answer;                                                                           \
  }                                                                                          \
  OF_FILE(int, write, write##KIND, (PHYSFS_File * file, PHYSFS_##TYPE value), (file, value), \
          answer != 0)
NUMBER(SLE16, sint16)
NUMBER(ULE16, uint16)
NUMBER(SLE32, sint32)
NUMBER(ULE32, uint32)
NUMBER(SLE64, sint64)
NUMBER(ULE64, uint64)
NUMBER(SBE16, sint16)
NUMBER(UBE16, uint16)
NUMBER(SBE32, sint32)
NUMBER(UBE32, uint32)
NUMBER(SBE64, sint64)
NUMBER(UBE64, uint64)

// --- Files ---------------------------------------------------------------------------------------

PHYSFS_File* PHYSFS_openRead(const char* path) {
  NEXT(openRead);
  if (!real) return nullptr;
  counted_call call(work::open);
  PHYSFS_File* const file = real(path);
  call.answered(file != nullptr);
  call.opened(path, file);
  return file;
}

int PHYSFS_close(PHYSFS_File* file) {
  NEXT(close);
  if (!real) return 0;
  overture::call_report::forget(file);
  counted_call call(work::close);
  const int answer = real(file);
  call.answered(answer != 0);
  return answer;
}

PHYSFS_sint64 PHYSFS_readBytes(PHYSFS_File* file, void* to, PHYSFS_uint64 bytes) {
  NEXT(readBytes);
  if (!real) return -1;
  counted_call call(work::read);
  const PHYSFS_sint64 got = real(file, to, bytes);
  call.answered(got >= 0);
  call.has_read(file, bytes, got);
  return got;
}

PHYSFS_sint64 PHYSFS_read(PHYSFS_File* file, void* to, PHYSFS_uint32 object_bytes,
                          PHYSFS_uint32 count) {
  NEXT(read);
  if (!real) return -1;
  counted_call call(work::read);
  const PHYSFS_sint64 got = real(file, to, object_bytes, count);
  call.answered(got >= 0);
  call.has_read(file, PHYSFS_uint64{object_bytes} * count, got < 0 ? got : got * object_bytes);
  return got;
}

PHYSFS_sint64 PHYSFS_fileLength(PHYSFS_File* file) {
  NEXT(fileLength);
  if (!real) return -1;
  counted_call call(work::place);
  const PHYSFS_sint64 bytes = real(file);
  call.answered(bytes >= 0);
  call.found_length(file, bytes);
  return bytes;
}

COUNTED(PHYSFS_File*, open, openWrite, (const char* path), (path))
COUNTED(PHYSFS_File*, open, openAppend, (const char* path), (path))
OF_FILE(PHYSFS_sint64, write, writeBytes,
        (PHYSFS_File * file, const void* from, PHYSFS_uint64 bytes), (file, from, bytes),
        answer >= 0)
OF_FILE(PHYSFS_sint64, write, write,
        (PHYSFS_File * file, const void* from, PHYSFS_uint32 object_bytes, PHYSFS_uint32 count),
        (file, from, object_bytes, count), answer >= 0)
OF_FILE(int, write, flush, (PHYSFS_File * file), (file), answer != 0)
OF_FILE(int, place, eof, (PHYSFS_File * file), (file), true)
OF_FILE(PHYSFS_sint64, place, tell, (PHYSFS_File * file), (file), answer >= 0)
OF_FILE(int, place, seek, (PHYSFS_File * file, PHYSFS_uint64 position), (file, position),
        answer != 0)
OF_FILE(int, place, setBuffer, (PHYSFS_File * file, PHYSFS_uint64 bytes), (file, bytes),
        answer != 0)

// --- Beyond PhysicsFS ----------------------------------------------------------------------------

#define READS_WHOLE(NAME)                                                    \
  int PHYSFS_overture_##NAME(const char* path, PHYSFS_overture_Memory* to) { \
    NEXT(overture_##NAME);                                                   \
    if (!real) return 0;                                                     \
    counted_call call(work::read);                                           \
    const int answer = real(path, to);                                       \
    call.answered(answer != 0);                                              \
    call.read_whole(path, answer != 0, answer != 0 ? to->size : 0);          \
    return answer;                                                           \
  }
READS_WHOLE(readFile)
READS_WHOLE(mapFile)
COUNTED(int, mount, overture_mountInside,
        (const char* archive, const char* mount_point, int append), (archive, mount_point, append))
COUNTED(int, other, overture_rename, (const char* from, const char* to), (from, to))
LOOKS_UP(int, overture_findName, (const char* path, char* found, PHYSFS_uint64 room),
         (path, found, room), answer != 0)

void PHYSFS_overture_giveBack(PHYSFS_overture_Memory* memory) {
  NEXT(overture_giveBack);
  if (!real) return;
  counted_call call(work::close);
  real(memory);
  call.answered(true);
}

// --- Names ---------------------------------------------------------------------------------------

LOOKS_UP(int, exists, (const char* path), (path), answer != 0)
LOOKS_UP(int, stat, (const char* path, PHYSFS_Stat* stat), (path, stat), answer != 0)
LOOKS_UP(int, isDirectory, (const char* path), (path), answer != 0)
LOOKS_UP(int, isSymbolicLink, (const char* path), (path), true)
LOOKS_UP(const char*, getRealDir, (const char* path), (path), answer != nullptr)
LOOKS_UP(PHYSFS_sint64, getLastModTime, (const char* path), (path), answer >= 0)
COUNTED(char**, list, enumerateFiles, (const char* folder), (folder))
COUNTED(int, other, mkdir, (const char* path), (path))
COUNTED(int, other, delete, (const char* path), (path))

int PHYSFS_enumerate(const char* folder, PHYSFS_EnumerateCallback callback, void* data) {
  NEXT(enumerate);
  if (!real) return 0;
  visit each{.each = callback, .data = data};
  counted_call call(work::list);
  const int answer = real(folder, callback ? visited : nullptr, &each);
  call.answered(answer != 0);
  return answer;
}

void PHYSFS_enumerateFilesCallback(const char* folder, PHYSFS_EnumFilesCallback callback,
                                   void* data) {
  NEXT(enumerateFilesCallback);
  if (!real) return;
  visit each{.each_file = callback, .data = data};
  counted_call call(work::list);
  real(folder, callback ? file_visited : nullptr, &each);
  call.answered(true);
}

void PHYSFS_freeList(void* list) {
  NEXT(freeList);
  if (!real) return;
  counted_call call(work::list);
  real(list);
  call.answered(true);
}

// --- The library and its mounts ------------------------------------------------------------------

int PHYSFS_init(const char* argv0) {
  NEXT(init);
  if (!real) return 0;
  Dl_info where = {};
  if (dladdr(reinterpret_cast<void*>(real), &where) != 0) {
    overture::call_report::note_library(where.dli_fname);
  }
  counted_call call(work::other);
  const int answer = real(argv0);
  call.answered(answer != 0);
  return answer;
}

COUNTED(int, other, deinit, (), ())
COUNTED(int, other, setWriteDir, (const char* folder), (folder))
COUNTED(const char*, other, getPrefDir, (const char* organisation, const char* application),
        (organisation, application))
COUNTED(int, mount, setSaneConfig,
        (const char* organisation, const char* application, const char* archive_extension,
         int include_cd_roms, int archives_first),
        (organisation, application, archive_extension, include_cd_roms, archives_first))
COUNTED(int, mount, mount, (const char* path, const char* mount_point, int append),
        (path, mount_point, append))
COUNTED(int, mount, mountIo,
        (PHYSFS_Io * io, const char* name, const char* mount_point, int append),
        (io, name, mount_point, append))
COUNTED(int, mount, mountMemory,
        (const void* bytes, PHYSFS_uint64 size, void (*release)(void*), const char* name,
         const char* mount_point, int append),
        (bytes, size, release, name, mount_point, append))
COUNTED(int, mount, mountHandle,
        (PHYSFS_File * file, const char* name, const char* mount_point, int append),
        (file, name, mount_point, append))
COUNTED(int, mount, mountRW, (const char* path, const char* mount_point, int append),
        (path, mount_point, append))
COUNTED(int, mount, addToSearchPath, (const char* path, int append), (path, append))
COUNTED(int, mount, removeFromSearchPath, (const char* path), (path))
COUNTED(int, mount, unmount, (const char* path), (path))
COUNTED(char**, other, getSearchPath, (), ())
