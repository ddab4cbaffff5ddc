// SPDX-License-Identifier: Zlib
//
// A game for the test of `overture physfs-env`: makes known calls in the folder it is given, also
// from a thread and from a callback, and ends as it is told: with a status, or "killed".
#include <pthread.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

#include "physfs.h"

// Of SDL, from a library of its own.
extern "C" void SDL_RenderPresent(void* renderer);

namespace {

void* read_byte_by_byte(void*) {
  pthread_setname_np(pthread_self(), "loader");
  for (int i = 0; i < 3; ++i) {
    PHYSFS_File* const file = PHYSFS_openRead("bytes");
    char byte = 0;
    for (PHYSFS_sint64 left = PHYSFS_fileLength(file); left > 0; --left) {
      if (PHYSFS_readBytes(file, &byte, 1) != 1) std::abort();
    }
    PHYSFS_close(file);
  }
  return nullptr;
}

PHYSFS_EnumerateCallbackResult look(void*, const char*, const char* name) {
  return PHYSFS_exists(name) != 0 ? PHYSFS_ENUM_OK : PHYSFS_ENUM_ERROR;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3 || PHYSFS_init(words[0]) == 0) return 90;
  if (PHYSFS_mount(words[1], nullptr, 1) == 0 || PHYSFS_mount("none", nullptr, 1) != 0) return 91;
  for (int i = 0; i < 12; ++i) {
    if (PHYSFS_exists("missing.cfg") != 0) return 92;
  }
  if (PHYSFS_openRead("missing.png") || PHYSFS_enumerate("", look, nullptr) == 0) return 93;
  pthread_t loader{};
  pthread_create(&loader, nullptr, read_byte_by_byte, nullptr);
  pthread_join(loader, nullptr);
  PHYSFS_File* const file = PHYSFS_openRead("numbers");
  PHYSFS_sint32 number = 0;
  while (PHYSFS_readSLE32(file, &number) != 0) {
  }
  SDL_RenderPresent(nullptr);
  if (std::strcmp(words[2], "killed") == 0) std::raise(SIGKILL);
  PHYSFS_close(file);
  return PHYSFS_deinit() != 0 ? std::atoi(words[2]) : 94;
}
