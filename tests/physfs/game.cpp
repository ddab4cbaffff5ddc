// SPDX-License-Identifier: Zlib
//
// A game for the tests of `overture boost`: game MOUNT FILE... prints each file. After
// game --background PIPE it goes on in a child, once the pipe has been opened to write.
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "physfs.h"

int main(int count, char** words) {
  const bool goes_on = count > 3 && std::strcmp(words[1], "--background") == 0;
  const char* const pipe = goes_on ? words[2] : nullptr;
  if (pipe) words += 2, count -= 2;
  if (count < 2 || PHYSFS_init(words[0]) == 0 || PHYSFS_mount(words[1], nullptr, 1) == 0) return 9;
  if (pipe) {
    if (::fork() != 0) ::_exit(0);
    if (std::FILE* const opened = std::fopen(pipe, "r")) std::fclose(opened);
  }
  for (int i = 2; i < count; ++i) {
    PHYSFS_File* const file = PHYSFS_openRead(words[i]);
    if (!file) return 8;
    char bytes[256];
    PHYSFS_sint64 got = 0;
    while ((got = PHYSFS_readBytes(file, bytes, sizeof bytes)) > 0) {
      std::fwrite(bytes, 1, static_cast<std::size_t>(got), stdout);
    }
    PHYSFS_close(file);
  }
  return PHYSFS_deinit() != 0 ? 7 : 6;
}
