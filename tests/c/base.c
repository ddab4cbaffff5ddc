/* SPDX-License-Identifier: Zlib */
#include <string.h>

#include "c_test.h"

C_CASE(c_base, codes_have_names) {
  CHECK(strcmp(overture_code_name(OVERTURE_OK), "ok") == 0);
  CHECK(strcmp(overture_code_name(OVERTURE_NOT_FOUND), "not_found") == 0);
  CHECK(strcmp(overture_code_name(OVERTURE_THREW), "threw") == 0);
  CHECK(strcmp(overture_code_name(OVERTURE_THREW + 1), "unknown") == 0);
  CHECK(strcmp(overture_code_name(-1), "unknown") == 0);
}

C_CASE(c_base, the_version_is_that_of_the_header) {
  CHECK(overture_version() == OVERTURE_C_VERSION);
}

C_CASE(c_base, there_is_a_processor_and_a_clock) {
  const uint64_t before = overture_now_ns();
  CHECK(overture_processor_count() >= 1);
  CHECK(overture_now_ns() >= before);
}

C_CASE(c_base, no_bytes_are_empty_and_can_be_freed) {
  CHECK(overture_bytes_data(NULL) == NULL);
  CHECK(overture_bytes_size(NULL) == 0);
  overture_bytes_free(NULL);
}

C_CASE(c_base, an_error_names_what_it_is_about) {
  overture_files* files = NULL;
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_files_make(NULL, &files, &why));
  CHECK(overture_files_mount(files, in_folder("absent.zip"), NULL, NULL, &why) ==
        OVERTURE_NOT_FOUND);
  CHECK(why.code == OVERTURE_NOT_FOUND);
  CHECK(why.os_error != 0);
  CHECK(strstr(why.text, "absent.zip: ") != NULL);
  CHECK_OK(overture_files_mount(files, in_folder("base.zip"), NULL, NULL, &why));
  CHECK(why.code == OVERTURE_OK);
  CHECK(why.os_error == 0);
  CHECK(why.text[0] == '\0');
  CHECK_OK(overture_files_free(files, &why));
}

C_CASE(c_base, an_error_gives_its_reason_also_for_a_path_that_fills_it) {
  enum { path_bytes = 2000 };
  char path[path_bytes + 1];
  overture_files* files = NULL;
  overture_error why = {.size = sizeof why};
  int i;
  for (i = 0; i < path_bytes; ++i) path[i] = i % 2 == 0 ? 'a' : '/';
  path[path_bytes] = '\0';
  CHECK_OK(overture_files_make(NULL, &files, &why));
  CHECK(overture_files_mount(files, path, NULL, NULL, &why) == OVERTURE_NOT_FOUND);
  CHECK(strncmp(why.text, "a/a/", 4) == 0);
  CHECK(strstr(why.text, "...: ") != NULL);
  CHECK(strstr(why.text, "...: ")[5] != '\0');
  CHECK_OK(overture_files_free(files, &why));
}

C_CASE(c_base, an_error_may_be_null_or_without_a_size) {
  overture_error unset;
  memset(&unset, 0, sizeof unset);
  CHECK_INVALID(overture_files_make(NULL, NULL, NULL));
  CHECK_INVALID(overture_files_make(NULL, NULL, &unset));
  CHECK(unset.code == 0);
  CHECK(unset.text[0] == '\0');
}

C_CASE(c_base, an_error_of_an_earlier_size_is_not_overrun) {
  /* As a program sees it that was compiled when texts were shorter. */
  struct {
    overture_error error;
  } room;
  const size_t size = offsetof(overture_error, text) + 8;
  memset(&room, 'x', sizeof room);
  room.error.size = size;
  CHECK_INVALID(overture_files_make(NULL, NULL, &room.error));
  CHECK(strlen(room.error.text) == 7);
  CHECK(room.error.text[8] == 'x');
}

C_CASE(c_base, options_need_a_size) {
  overture_files* files = NULL;
  overture_error why = {.size = sizeof why};
  overture_files_config config;
  memset(&config, 0, sizeof config);
  CHECK_INVALID(overture_files_make(&config, &files, &why));
  CHECK(files == NULL);
  CHECK(strstr(why.text, "size") != NULL);
  config.size = 1u << 20;
  CHECK_INVALID(overture_files_make(&config, &files, &why));
}

C_CASE(c_base, options_of_a_later_version_work_while_they_are_zero) {
  struct {
    overture_files_config known;
    uint64_t later;
  } config;
  overture_files* files = NULL;
  overture_error why = {.size = sizeof why};
  memset(&config, 0, sizeof config);
  config.known.size = sizeof config;
  CHECK_OK(overture_files_make(&config.known, &files, &why));
  CHECK_OK(overture_files_free(files, &why));
  config.later = 1;
  CHECK(overture_files_make(&config.known, &files, &why) == OVERTURE_UNSUPPORTED);
  CHECK(files == NULL);
}

C_CASE(c_base, results_of_a_later_version_are_filled_with_zeros) {
  struct {
    overture_stat known;
    uint64_t later;
  } stat;
  test_game game = make_game();
  overture_error why = {.size = sizeof why};
  memset(&stat, 'x', sizeof stat);
  stat.known.size = sizeof stat;
  CHECK_OK(overture_files_stat(game.files, "new.txt", &stat.known, &why));
  CHECK(stat.known.size == sizeof stat);
  CHECK(stat.known.bytes == 4);
  CHECK(stat.later == 0);
  free_game(&game);
}
