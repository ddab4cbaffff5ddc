/* SPDX-License-Identifier: Zlib */
#include <overture/c/sounds.h>

#include <stdio.h>

int main(void) {
  overture_files* files = NULL;
  overture_sound_thread* thread = NULL;
  overture_sound* song = NULL;
  overture_error why = {sizeof why};
  if (overture_files_make(NULL, &files, &why) != OVERTURE_OK) return 2;
  if (overture_sound_thread_make(&thread, &why) != OVERTURE_OK) return 3;
  if (overture_sound_open(files, "no/such.ogg", NULL, &song, &why) != OVERTURE_NOT_FOUND) return 4;
  printf("%s\n", why.text);
  overture_sound_thread_free(thread, NULL);
  overture_files_free(files, NULL);
  return 0;
}
