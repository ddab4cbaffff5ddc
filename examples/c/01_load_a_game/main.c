/* SPDX-License-Identifier: Zlib */
// Loads a whole game from overlaid folders and archives, every file, on all cores.
//
//   example_c_01_load_a_game base.pk3 dlc/rome/ mods/better_ai.zip
#include <overture/c/overture.h>
#include <stdio.h>

// Called with each loaded file, on the main thread, because of one_thread.
static overture_code take(void* context, const overture_loaded* file) {
  if (*file->decoded != NULL) {
    overture_decoded_info info = {.size = sizeof info};
    overture_decoded_get_info(*file->decoded, &info, NULL);
    // A game would keep *file->decoded, and set it to NULL.
    if (info.kind == OVERTURE_KIND_IMAGE) ++*(unsigned*)context;
  }
  return OVERTURE_OK;
}

static void print_failure(void* context, const char* path, const overture_error* why) {
  (void)context;
  (void)path;  // the text names it
  fprintf(stderr, "\r%s\n", why->text);
}

// Returns the number of files that failed, or -1.
static long load(overture_reads* reads, overture_error* why) {
  unsigned images = 0;
  overture_load* menu = NULL;
  overture_load_summary done = {.size = sizeof done};
  overture_load_options options = {
      .size = sizeof options, .one_thread = true, .take = take, .context = &images};
  if (overture_load_start(reads, &options, &menu, why)) return -1;
  while (overture_load_wait_for(menu, 16000000, NULL) == OVERTURE_BUSY) {  // time to draw a frame
    overture_load_progress now = {.size = sizeof now};
    overture_load_get_progress(menu, &now, NULL);
    printf("\r%3.0f %%", now.fraction * 100);
    fflush(stdout);
  }
  overture_load_failures(menu, print_failure, NULL, NULL);
  overture_load_get_summary(menu, &done, NULL);
  overture_load_free(menu, NULL);
  printf("\r%llu files, %llu bytes, %u images\n", (unsigned long long)done.files,
         (unsigned long long)done.bytes, images);
  return (long)done.failed;
}

int main(int count, char** paths) {
  overture_files* files = NULL;
  overture_pool* jobs = NULL;
  overture_reads* reads = NULL;
  overture_error why = {.size = sizeof why};
  long failed = -1;
  overture_code code = overture_files_make(NULL, &files, &why);
  for (int i = 1; !code && i < count; ++i) {  // later mounts win
    code = overture_files_mount(files, paths[i], NULL, NULL, &why);
  }
  if (!code) code = overture_files_freeze(files, &why);
  if (!code) code = overture_pool_make(NULL, &jobs, &why);
  if (!code) code = overture_reads_make(files, jobs, NULL, &reads, &why);
  if (!code) failed = load(reads, &why);
  if (failed < 0) fprintf(stderr, "%s\n", why.text);
  overture_reads_free(reads, NULL);  // what uses others first
  overture_pool_free(jobs, NULL);
  overture_files_free(files, NULL);
  return failed == 0 ? 0 : 1;
}
