/* SPDX-License-Identifier: Zlib */
#include <stdio.h>
#include <string.h>

#include "c_test.h"

C_CASE(c_load, keeps_the_tree_frozen_until_it_is_freed) {
  test_game game = make_game();
  overture_load* load = NULL;
  overture_error why = {.size = sizeof why};
  CHECK_INVALID(overture_load_start(game.reads, NULL, &load, &why)); /* it is not frozen */
  CHECK_OK(overture_files_thaw(game.files, &why));
  CHECK_OK(overture_files_freeze(game.files, &why));
  CHECK_OK(overture_load_start(game.reads, NULL, &load, &why));
  CHECK(overture_files_thaw(game.files, &why) == OVERTURE_BUSY);
  CHECK(overture_files_is_frozen(game.files));
  CHECK_OK(overture_load_wait_for(load, UINT64_MAX, &why));
  CHECK(overture_files_thaw(game.files, &why) == OVERTURE_BUSY);
  CHECK_OK(overture_load_free(load, &why));
  CHECK_OK(overture_files_thaw(game.files, &why));
  free_game(&game);
}

typedef struct taken {
  overture_decoded* text[8]; /* kept past the call */
  size_t count;
  uint64_t bytes;
} taken;

static overture_code keep(void* context, const overture_loaded* file) {
  taken* all = (taken*)context;
  CHECK(file->size == sizeof *file);
  if (strcmp(file->path, "maps/troy.txt") == 0) return OVERTURE_UNSUPPORTED;
  all->bytes += file->byte_count;
  if (*file->decoded != NULL && all->count < 8) {
    all->text[all->count++] = *file->decoded;
    *file->decoded = NULL;
  }
  return OVERTURE_OK;
}

static void remember(void* context, const char* path, const overture_error* why) {
  strcat((char*)context, path);
  strcat((char*)context, why->code == OVERTURE_UNSUPPORTED ? " unsupported\n" : " other\n");
}

C_CASE(c_load, every_file_is_handed_over_and_failures_are_listed) {
  test_game game = make_game();
  taken all = {{NULL}, 0, 0};
  char failures[256] = "";
  overture_load* load = NULL;
  overture_load_progress now = {.size = sizeof now};
  overture_load_summary sum = {.size = sizeof sum};
  overture_decoded_info info = {.size = sizeof info};
  overture_error why = {.size = sizeof why};
  overture_load_options options = {
      .size = sizeof options, .one_thread = true, .take = keep, .context = &all};
  CHECK_OK(overture_files_freeze(game.files, &why));
  CHECK_OK(overture_load_start(game.reads, &options, &load, &why));
  CHECK(overture_reads_free(game.reads, &why) == OVERTURE_BUSY);
  while (overture_load_wait_for(load, 1000000, NULL) == OVERTURE_BUSY) {
    CHECK_OK(overture_load_get_progress(load, &now, &why));
    CHECK(now.fraction <= 1);
  }
  CHECK_OK(overture_load_get_progress(load, &now, &why));
  CHECK(now.files_total == 4 && now.files_done == 4);
  CHECK_OK(overture_load_get_summary(load, &sum, &why));
  CHECK(sum.files == 3 && sum.failed == 1);
  CHECK(sum.bytes == all.bytes);
  CHECK(sum.hash != 0);
  CHECK_OK(overture_load_failures(load, remember, failures, &why));
  CHECK(strcmp(failures, "maps/troy.txt unsupported\n") == 0);
  CHECK_OK(overture_load_free(load, &why));
  CHECK(all.count == 3);
  for (size_t i = 0; i < all.count; ++i) {
    CHECK_OK(overture_decoded_get_info(all.text[i], &info, &why));
    CHECK(info.kind == OVERTURE_KIND_TEXT);
    overture_decoded_free(all.text[i]);
  }
  free_game(&game);
}

static overture_code is_busy(void* context, const overture_loaded* file) {
  (void)context;
  return strcmp(file->path, "new.txt") == 0 ? OVERTURE_BUSY : OVERTURE_OK;
}
static void note_file(void* context, const char* path, const overture_error* why) {
  char* text = (char*)context;
  sprintf(text + strlen(text), "%s %s: %s\n", overture_code_name(why->code), path, why->text);
}

C_CASE(c_load, a_file_that_has_failed_is_not_busy) {
  test_game game = make_game();
  char failures[800] = "";
  overture_load* load = NULL;
  overture_error why = {.size = sizeof why};
  overture_load_options options = {.size = sizeof options, .take = is_busy};
  CHECK_OK(overture_files_freeze(game.files, &why));
  CHECK_OK(overture_load_start(game.reads, &options, &load, &why));
  CHECK_OK(overture_load_wait_for(load, UINT64_MAX, &why));
  CHECK_OK(overture_load_failures(load, note_file, failures, &why));
  CHECK(strncmp(failures, "invalid new.txt: ", 17) == 0);
  CHECK(strstr(failures, "take() returned OVERTURE_BUSY") != NULL);
  CHECK_OK(overture_load_free(load, &why));
  free_game(&game);
}

C_CASE(c_load, warnings_are_listed) {
  test_game game = make_game();
  char warnings[800] = "";
  overture_load* load = NULL;
  overture_error why = {.size = sizeof why};
  FILE* const latin = fopen(in_folder("empty/latin.txt"), "wb");
  CHECK(latin != NULL && fputs("caf\xE9\n", latin) >= 0 && fclose(latin) == 0);
  CHECK_OK(overture_files_mount(game.files, in_folder("empty"), NULL, NULL, &why));
  CHECK_OK(overture_files_freeze(game.files, &why));
  CHECK_OK(overture_load_start(game.reads, NULL, &load, &why));
  CHECK_OK(overture_load_wait_for(load, UINT64_MAX, &why));
  CHECK_OK(overture_load_warnings(load, note_file, warnings, &why));
  CHECK(strstr(warnings, " latin.txt: ") != NULL && strstr(warnings, "UTF-8") != NULL);
  CHECK(strchr(warnings, '\n') == strrchr(warnings, '\n'));
  CHECK_INVALID(overture_load_warnings(NULL, note_file, warnings, &why));
  CHECK_INVALID(overture_load_warnings(load, NULL, NULL, &why));
  CHECK_OK(overture_load_free(load, &why));
  free_game(&game);
}

C_CASE(c_load, patterns_choose_the_files) {
  static const char* const only[] = {"maps/*", "new.txt"};
  test_game game = make_game();
  overture_load* load = NULL;
  overture_load_summary sum = {.size = sizeof sum};
  overture_error why = {.size = sizeof why};
  overture_load_options options = {.size = sizeof options,
                                   .only = only,
                                   .only_count = 2,
                                   .no_decoding = true,
                                   .budget_bytes = 1u << 20};
  CHECK_OK(overture_files_freeze(game.files, &why));
  CHECK_OK(overture_load_start(game.reads, &options, &load, &why));
  CHECK_OK(overture_load_wait_for(load, UINT64_MAX, &why));
  CHECK_OK(overture_load_get_summary(load, &sum, &why));
  CHECK(sum.files == 3);
  CHECK(sum.decoded_bytes == 0);
  CHECK_OK(overture_load_free(load, &why));
  free_game(&game);
}

C_CASE(c_load, no_patterns_are_all_files) {
  static const char* const only[] = {"maps/*"};
  test_game game = make_game();
  overture_load* load = NULL;
  overture_load_summary sum = {.size = sizeof sum};
  overture_error why = {.size = sizeof why};
  overture_load_options options = {.size = sizeof options, .only = only, .only_count = 0};
  CHECK_OK(overture_files_freeze(game.files, &why));
  CHECK_OK(overture_load_start(game.reads, &options, &load, &why));
  CHECK_OK(overture_load_wait_for(load, UINT64_MAX, &why));
  CHECK_OK(overture_load_get_summary(load, &sum, &why));
  CHECK(sum.files == 4);
  CHECK_OK(overture_load_free(load, &why));
  free_game(&game);
}

C_CASE(c_load, a_cancelled_load_ends) {
  test_game game = make_game();
  overture_load* load = NULL;
  overture_load_summary sum = {.size = sizeof sum};
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_files_freeze(game.files, &why));
  CHECK_OK(overture_load_start(game.reads, NULL, &load, &why));
  CHECK_OK(overture_load_cancel(load, &why));
  CHECK_OK(overture_load_wait_for(load, UINT64_MAX, &why));
  CHECK_OK(overture_load_get_summary(load, &sum, &why));
  CHECK(sum.files + sum.cancelled == 4);
  CHECK_OK(overture_load_free(load, &why));
  free_game(&game);
}

C_CASE(c_load, null_and_misuse_are_invalid) {
  static const char* const only[] = {NULL};
  test_game game = make_game();
  overture_load* load = NULL;
  overture_load_progress now = {.size = sizeof now};
  overture_load_summary sum = {.size = sizeof sum};
  overture_error why = {.size = sizeof why};
  overture_load_options options = {.size = sizeof options, .only = only, .only_count = 1};
  CHECK_INVALID(overture_load_start(game.reads, NULL, &load, &why)); /* the tree is not frozen */
  CHECK(load == NULL);
  CHECK_OK(overture_files_freeze(game.files, &why));
  CHECK_INVALID(overture_load_start(NULL, NULL, &load, &why));
  CHECK_INVALID(overture_load_start(game.reads, NULL, NULL, &why));
  CHECK_INVALID(overture_load_start(game.reads, &options, &load, &why));
  options.only = NULL;
  CHECK_INVALID(overture_load_start(game.reads, &options, &load, &why));
  CHECK_OK(overture_load_free(NULL, &why));
  CHECK_INVALID(overture_load_wait_for(NULL, 1, &why));
  CHECK_INVALID(overture_load_cancel(NULL, &why));
  CHECK_INVALID(overture_load_get_progress(NULL, &now, &why));
  CHECK_INVALID(overture_load_get_summary(NULL, &sum, &why));
  CHECK_INVALID(overture_load_failures(NULL, remember, NULL, &why));
  CHECK_OK(overture_load_start(game.reads, NULL, &load, &why));
  CHECK_INVALID(overture_load_failures(load, NULL, NULL, &why));
  CHECK_OK(overture_load_free(load, &why));
  free_game(&game);
}
