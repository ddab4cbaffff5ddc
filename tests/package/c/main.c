/* SPDX-License-Identifier: Zlib */
/* Reads a file of the folder that it is given, and calls the libraries apart from that of C. */
#include <overture/c/overture.h>
#ifdef WITH_LOADERS
#include <overture/c/loaders.h>
#endif
#ifdef WITH_SOUNDS
#include <overture/c/sounds.h>
#endif
#ifdef WITH_REPORT
#include <overture/report/timeline_report.h>
#endif
#include <stdio.h>

static int apart_ones_work(void) {
  overture_error why = {.size = sizeof why};
#ifdef WITH_LOADERS
  overture_loader loader = {.size = sizeof loader};
  if (overture_loader_of_kind(OVERTURE_KIND_IMAGE, NULL, &loader, &why)) return 0;
#endif
#ifdef WITH_SOUNDS
  overture_sound_thread* thread = NULL;
  if (overture_sound_thread_make(&thread, &why)) return 0;
  overture_sound_thread_free(thread, NULL);
#endif
#ifdef WITH_REPORT
  if (overture_timeline_write_report(NULL, NULL, "x", &why) != OVERTURE_INVALID) return 0;
#endif
  return why.size != 0;
}

int main(int count, char** words) {
  overture_files* files = NULL;
  overture_bytes* bytes = NULL;
  overture_error why = {.size = sizeof why};
  overture_code code = overture_files_make(NULL, &files, &why);
  if (!code) code = overture_files_mount(files, count > 1 ? words[1] : ".", NULL, NULL, &why);
  if (!code) code = overture_files_read(files, "c/main.c", &bytes, &why);
  printf("%s%d bytes\n", why.text, (int)overture_bytes_size(bytes));
  overture_bytes_free(bytes);
  overture_files_free(files, NULL);
  return code == OVERTURE_OK && apart_ones_work() ? 0 : 1;
}
