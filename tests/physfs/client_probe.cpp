// SPDX-License-Identifier: Zlib
//
// Preloaded into a game that uses PhysicsFS: defines the library's functions and those that show a
// frame, calls the next definition of each, and notes the answers (client_notes.hpp).
#define PHYSFS_DEPRECATED
#include <dlfcn.h>
#include <physfs.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <set>
#include <string>

#include "client_notes.hpp"

namespace {

// The next definition of a function that this library defines too.
template <class F>
F next(const char* name) {
  auto* const found = reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
  if (found) return found;
  std::fprintf(stderr, "client_probe: no %s\n", name);
  std::abort();
}

}  // namespace

#define REAL(name) static const auto real = next<decltype(&PHYSFS_##name)>("PHYSFS_" #name)

// A question about a name, answered by a number.
#define ASKED(result, name, parameters, arguments, question, failed)             \
  extern "C" result PHYSFS_##name parameters {                                   \
    REAL(name);                                                                  \
    call made;                                                                   \
    result const answer = real arguments;                                        \
    made.answered();                                                             \
    if (made.wants_facts()) note_answer(#name " " + (question), answer, failed); \
    return answer;                                                               \
  }
// A question answered by a text.
#define TOLD(name, parameters, arguments, question)                                 \
  extern "C" const char* PHYSFS_##name parameters {                                 \
    REAL(name);                                                                     \
    call made;                                                                      \
    const char* const answer = real arguments;                                      \
    made.answered();                                                                \
    if (made.wants_facts()) note(#name " " + (question) + " = " + text_of(answer)); \
    return answer;                                                                  \
  }
// What the game reads or is told about an open file, which goes into the file's digest.
#define OF_FILE(result, name, parameters, arguments) \
  extern "C" result PHYSFS_##name parameters {       \
    REAL(name);                                      \
    call made;                                       \
    result const answer = real arguments;            \
    made.answered();                                 \
    note_result(made, file, answer);                 \
    return answer;                                   \
  }
#define READ_NUMBER(name, type)                                        \
  extern "C" int PHYSFS_##name(PHYSFS_File* file, type* value) {       \
    REAL(name);                                                        \
    call made;                                                         \
    const int answer = real(file, value);                              \
    made.answered();                                                   \
    note_bytes(made, file, answer, value, answer ? sizeof *value : 0); \
    return answer;                                                     \
  }
#define WRITE_NUMBER(name, type)                                \
  extern "C" int PHYSFS_##name(PHYSFS_File* file, type value) { \
    REAL(name);                                                 \
    call made;                                                  \
    const int answer = real(file, value);                       \
    made.answered();                                            \
    note_bytes(made, file, answer, &value, sizeof value);       \
    return answer;                                              \
  }
#define EACH_ORDER(F, name, letter, type)    \
  F(name##letter##LE##16, PHYSFS_##type##16) \
  F(name##letter##BE##16, PHYSFS_##type##16) \
  F(name##letter##LE##32, PHYSFS_##type##32) \
  F(name##letter##BE##32, PHYSFS_##type##32) \
  F(name##letter##LE##64, PHYSFS_##type##64) \
  F(name##letter##BE##64, PHYSFS_##type##64)

EACH_ORDER(READ_NUMBER, read, S, sint)
EACH_ORDER(READ_NUMBER, read, U, uint)
EACH_ORDER(WRITE_NUMBER, write, S, sint)
EACH_ORDER(WRITE_NUMBER, write, U, uint)

OF_FILE(int, eof, (PHYSFS_File * file), (file))
OF_FILE(int, flush, (PHYSFS_File * file), (file))
OF_FILE(int, setBuffer, (PHYSFS_File * file, PHYSFS_uint64 bytes), (file, bytes))
OF_FILE(int, seek, (PHYSFS_File * file, PHYSFS_uint64 to), (file, to))
OF_FILE(PHYSFS_sint64, tell, (PHYSFS_File * file), (file))
OF_FILE(PHYSFS_sint64, fileLength, (PHYSFS_File * file), (file))

extern "C" PHYSFS_File* PHYSFS_openRead(const char* name) {
  REAL(openRead);
  call made;
  PHYSFS_File* const file = real(name);
  made.answered();
  note_open(made, file, name, "openRead");
  return file;
}
extern "C" PHYSFS_File* PHYSFS_openWrite(const char* name) {
  REAL(openWrite);
  call made;
  PHYSFS_File* const file = real(name);
  made.answered();
  note_open(made, file, name, "openWrite");
  return file;
}
extern "C" PHYSFS_File* PHYSFS_openAppend(const char* name) {
  REAL(openAppend);
  call made;
  PHYSFS_File* const file = real(name);
  made.answered();
  note_open(made, file, name, "openAppend");
  return file;
}
extern "C" int PHYSFS_close(PHYSFS_File* file) {
  REAL(close);
  call made;
  note_close(made, file);
  const int answer = real(file);
  made.answered();
  return answer;
}
extern "C" PHYSFS_sint64 PHYSFS_readBytes(PHYSFS_File* file, void* to, PHYSFS_uint64 bytes) {
  REAL(readBytes);
  call made;
  const PHYSFS_sint64 got = real(file, to, bytes);
  made.answered();
  note_bytes(made, file, got, to, got > 0 ? static_cast<std::size_t>(got) : 0);
  return got;
}
extern "C" PHYSFS_sint64 PHYSFS_read(PHYSFS_File* file, void* to, PHYSFS_uint32 size,
                                     PHYSFS_uint32 count) {
  REAL(read);
  call made;
  const PHYSFS_sint64 got = real(file, to, size, count);
  made.answered();
  note_bytes(made, file, got, to, got > 0 ? static_cast<std::size_t>(got) * size : 0);
  return got;
}
extern "C" PHYSFS_sint64 PHYSFS_writeBytes(PHYSFS_File* file, const void* from,
                                           PHYSFS_uint64 bytes) {
  REAL(writeBytes);
  call made;
  const PHYSFS_sint64 put = real(file, from, bytes);
  made.answered();
  note_bytes(made, file, put, from, bytes);
  return put;
}
extern "C" PHYSFS_sint64 PHYSFS_write(PHYSFS_File* file, const void* from, PHYSFS_uint32 size,
                                      PHYSFS_uint32 count) {
  REAL(write);
  call made;
  const PHYSFS_sint64 put = real(file, from, size, count);
  made.answered();
  note_bytes(made, file, put, from, std::size_t{size} * count);
  return put;
}

// --- Names ---------------------------------------------------------------------------------------

ASKED(int, exists, (const char* name), (name), text_of(name), false)
ASKED(int, isDirectory, (const char* name), (name), text_of(name), false)
ASKED(int, isSymbolicLink, (const char* name), (name), text_of(name), false)
ASKED(int, mkdir, (const char* name), (name), text_of(name), !answer)
ASKED(int, delete, (const char* name), (name), text_of(name), !answer)
ASKED(int, setWriteDir, (const char* name), (name), text_of(name), !answer)
ASKED(int, unmount, (const char* name), (name), text_of(name), !answer)
ASKED(int, removeFromSearchPath, (const char* name), (name), text_of(name), !answer)
ASKED(int, addToSearchPath, (const char* name, int append), (name, append),
      text_of(name) + " " + std::to_string(append), !answer)
ASKED(int, mount, (const char* name, const char* point, int append), (name, point, append),
      text_of(name) + " at " + text_of(point) + " " + std::to_string(append), !answer)
ASKED(int, mountIo, (PHYSFS_Io * io, const char* name, const char* point, int append),
      (io, name, point, append),
      text_of(name) + " at " + text_of(point) + " " + std::to_string(append), !answer)
ASKED(int, mountMemory,
      (const void* bytes, PHYSFS_uint64 count, void (*release)(void*), const char* name,
       const char* point, int append),
      (bytes, count, release, name, point, append),
      text_of(name) + " at " + text_of(point) + " " + std::to_string(append), !answer)
ASKED(int, mountHandle, (PHYSFS_File * file, const char* name, const char* point, int append),
      (file, name, point, append),
      text_of(name) + " at " + text_of(point) + " " + std::to_string(append), !answer)
ASKED(int, isInit, (), (), std::string{}, false)
ASKED(int, deinit, (), (), std::string{}, !answer)
TOLD(getRealDir, (const char* name), (name), text_of(name))
TOLD(getMountPoint, (const char* name), (name), text_of(name))
TOLD(getWriteDir, (), (), std::string{})
TOLD(getBaseDir, (), (), std::string{})
TOLD(getUserDir, (), (), std::string{})
TOLD(getPrefDir, (const char* organisation, const char* application), (organisation, application),
     text_of(application))
TOLD(getDirSeparator, (), (), std::string{})

extern "C" int PHYSFS_init(const char* program) {
  REAL(init);
  Dl_info where = {};
  (void)dladdr(reinterpret_cast<void*>(real), &where);
  note_library(where.dli_fname);
  call made;
  const int answer = real(program);
  made.answered();
  if (made.wants_facts()) note_answer("init", answer, !answer);
  return answer;
}
extern "C" PHYSFS_sint64 PHYSFS_getLastModTime(const char* name) {
  REAL(getLastModTime);
  call made;
  const PHYSFS_sint64 answer = real(name);
  made.answered();
  // What this run wrote has a time that no other run has.
  if (made.wants_facts()) {
    static const std::int64_t begin = std::time(nullptr);
    note_answer("getLastModTime " + text_of(name), answer >= begin - 600 ? 0 : answer, answer < 0);
  }
  return answer;
}
extern "C" int PHYSFS_stat(const char* name, PHYSFS_Stat* status) {
  REAL(stat);
  call made;
  const int answer = real(name, status);
  made.answered();
  if (made.wants_facts()) {
    std::string fact = "stat " + text_of(name) + ", " + std::to_string(answer);
    if (answer) {
      fact += " type " + std::to_string(status->filetype);
      if (status->filetype == PHYSFS_FILETYPE_REGULAR)
        fact += " " + std::to_string(status->filesize);
      fact += status->readonly ? " read-only" : "";
    }
    note_answer(fact, answer, !answer);
  }
  return answer;
}

namespace {

struct visit {
  PHYSFS_EnumerateCallback callback;
  void* data;
  std::set<std::string> names = {};
};
PHYSFS_EnumerateCallbackResult visited(void* data, const char* folder, const char* name) {
  auto& of = *static_cast<visit*>(data);
  of.names.insert(text_of(name));
  const in_callback called;
  return of.callback(of.data, folder, name);
}

}  // namespace

extern "C" char** PHYSFS_enumerateFiles(const char* folder) {
  REAL(enumerateFiles);
  call made;
  char** const list = real(folder);
  made.answered();
  if (made.wants_facts()) note("enumerateFiles " + text_of(folder) + " = " + text_of(list));
  return list;
}
extern "C" int PHYSFS_enumerate(const char* folder, PHYSFS_EnumerateCallback callback, void* data) {
  REAL(enumerate);
  call made;
  if (!made.wants_facts()) {
    const int answer = real(folder, callback, data);
    made.answered();
    return answer;
  }
  visit seen{callback, data};
  const int answer = real(folder, visited, &seen);
  made.answered();
  std::string names;
  for (const std::string& name : seen.names) names += " | " + name;
  note("enumerate " + text_of(folder) + " = " + std::to_string(answer) + names);
  return answer;
}
extern "C" char** PHYSFS_getSearchPath() {
  REAL(getSearchPath);
  call made;
  char** const list = real();
  made.answered();
  if (made.wants_facts()) note("getSearchPath = " + text_of(list));
  return list;
}
extern "C" void PHYSFS_freeList(void* list) {
  REAL(freeList);
  call made;
  real(list);
  made.answered();
}

// --- Errors --------------------------------------------------------------------------------------

extern "C" PHYSFS_ErrorCode PHYSFS_getLastErrorCode() {
  REAL(getLastErrorCode);
  call made;
  const PHYSFS_ErrorCode code = real();
  made.answered();
  note_error(made, std::to_string(code));
  return code;
}
extern "C" const char* PHYSFS_getLastError() {
  REAL(getLastError);
  call made;
  const char* const text = real();
  made.answered();
  note_error(made, text_of(text));
  return text;
}

// --- Frames --------------------------------------------------------------------------------------

// Functions that show a frame; `real` calls the next definition.
#define SHOWS(result, name, parameters, arguments)         \
  extern "C" result name parameters;                       \
  extern "C" result name parameters {                      \
    static const auto real = next<decltype(&name)>(#name); \
    const frame shown;                                     \
    return real arguments;                                 \
  }
namespace {
struct frame {
  ~frame() { note_frame(); }
};
}  // namespace
SHOWS(void, SDL_GL_SwapWindow, (void* window), (window))
SHOWS(void, SDL_RenderPresent, (void* renderer), (renderer))
SHOWS(int, SDL_UpdateWindowSurface, (void* window), (window))
// SDL 1.2
SHOWS(int, SDL_Flip, (void* screen), (screen))
SHOWS(void, SDL_GL_SwapBuffers, (), ())
SHOWS(void, SDL_UpdateRect,
      (void* screen, std::int32_t x, std::int32_t y, std::uint32_t width, std::uint32_t height),
      (screen, x, y, width, height))
// What Mesa's software renderer calls for each frame: a game with a copy of SDL in itself cannot be
// met anywhere else.
SHOWS(int, XPutImage,
      (void* display, unsigned long drawable, void* context, void* image, int from_x, int from_y,
       int x, int y, unsigned width, unsigned height),
      (display, drawable, context, image, from_x, from_y, x, y, width, height))
SHOWS(int, XShmPutImage,
      (void* display, unsigned long drawable, void* context, void* image, int from_x, int from_y,
       int x, int y, unsigned width, unsigned height, int tells),
      (display, drawable, context, image, from_x, from_y, x, y, width, height, tells))
