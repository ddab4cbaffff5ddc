// SPDX-License-Identifier: Zlib
//
// Finds itself in the folder that it is given.
#include <physfs.h>

int main(int argc, char** argv) {
  if (argc != 2 || !PHYSFS_init(argv[0]) || !PHYSFS_mount(argv[1], nullptr, 1)) return 1;
  PHYSFS_Version version;
  PHYSFS_getLinkedVersion(&version);
  const bool found = PHYSFS_exists("physfs/consumer.cpp") != 0;
  return found && version.minor == 2 && PHYSFS_deinit() ? 0 : 1;
}
