/* SPDX-License-Identifier: Zlib */
/* The tree that most tests work with. */
#include <string.h>

#include "c_test.h"

test_game make_game(void) {
  test_game game = {NULL, NULL, NULL};
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_files_make(NULL, &game.files, &why));
  CHECK_OK(overture_files_mount(game.files, in_folder("base.zip"), NULL, NULL, &why));
  CHECK_OK(overture_files_mount(game.files, in_folder("mod"), NULL, NULL, &why));
  CHECK_OK(overture_pool_make(NULL, &game.pool, &why));
  CHECK_OK(overture_reads_make(game.files, game.pool, NULL, &game.reads, &why));
  return game;
}

void free_game(test_game* game) {
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_reads_free(game->reads, &why));
  CHECK_OK(overture_pool_free(game->pool, &why));
  CHECK_OK(overture_files_free(game->files, &why));
}

int same_text(const overture_bytes* bytes, const char* text) {
  const size_t size = overture_bytes_size(bytes);
  return size == strlen(text) && memcmp(overture_bytes_data(bytes), text, size) == 0;
}
