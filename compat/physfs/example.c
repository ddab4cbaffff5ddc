/* SPDX-License-Identifier: Zlib */
/* Prints a file of an archive that lies in a folder, however its name is spelled:
 *
 *   example FOLDER ARCHIVE FILE */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "physfs_overture.h"

static int print_file(const char* name) {
  PHYSFS_overture_Memory file;
  const size_t room = 3 * strlen(name) + 1;
  char* const spelled = malloc(room);
  const int found = spelled && PHYSFS_overture_findName(name, spelled, room) &&
                    PHYSFS_overture_readFile(spelled, &file);
  free(spelled);
  if (!found) return 0;
  fwrite(file.bytes, 1, (size_t)file.size, stdout);
  PHYSFS_overture_giveBack(&file);
  return 1;
}

int main(int count, char** words) {
  if (count != 4 || !PHYSFS_init(words[0])) return 2;
  const int done = PHYSFS_mount(words[1], NULL, 1) &&
                   PHYSFS_overture_mountInside(words[2], "mod", 0) && print_file(words[3]);
  if (!done) fprintf(stderr, "%s\n", PHYSFS_getErrorByCode(PHYSFS_getLastErrorCode()));
  return PHYSFS_deinit() && done ? 0 : 1;
}
