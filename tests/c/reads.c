/* SPDX-License-Identifier: Zlib */
#include <string.h>

#include "c_test.h"

C_CASE(c_reads, a_read_is_begun_waited_for_and_taken) {
  test_game game = make_game();
  overture_read* read = NULL;
  overture_bytes* bytes = NULL;
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_read_begin(game.reads, "maps/troy.txt", NULL, &read, &why));
  CHECK(overture_reads_free(game.reads, &why) == OVERTURE_BUSY);
  CHECK(overture_files_free(game.files, &why) == OVERTURE_BUSY);
  CHECK(overture_pool_free(game.pool, &why) == OVERTURE_BUSY);
  CHECK_OK(overture_read_wait(read, &why));
  CHECK(overture_read_is_done(read));
  CHECK_OK(overture_read_wait_for(read, 0, &why));
  CHECK_OK(overture_read_take(read, &bytes, &why));
  CHECK(same_text(bytes, "troy\n"));
  overture_bytes_free(bytes);
  CHECK_INVALID(overture_read_take(read, &bytes, &why));
  CHECK(overture_read_is_done(read));
  CHECK_OK(overture_read_wait(read, &why));
  CHECK_OK(overture_read_free(read, &why));
  free_game(&game);
}

C_CASE(c_reads, what_goes_wrong_comes_with_the_read) {
  test_game game = make_game();
  overture_read* read = NULL;
  overture_bytes* bytes = NULL;
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_read_begin(game.reads, "absent.txt", NULL, &read, &why));
  CHECK_OK(overture_read_wait(read, &why));
  CHECK(overture_read_take(read, &bytes, &why) == OVERTURE_NOT_FOUND);
  CHECK(strstr(why.text, "absent.txt: ") != NULL);
  CHECK(bytes == NULL);
  CHECK_OK(overture_read_free(read, &why));
  CHECK(overture_read_begin(game.reads, "../absent", NULL, &read, &why) == OVERTURE_BAD_PATH);
  CHECK(read == NULL);
  free_game(&game);
}

typedef struct finished {
  overture_barricade called;
  overture_bytes* bytes;
  overture_code code;
  bool frees;
} finished;

static void take(void* context, overture_read* read) {
  finished* all = (finished*)context;
  all->code = overture_read_take(read, &all->bytes, NULL);
  if (all->frees) CHECK(overture_read_free(read, NULL) == OVERTURE_OK);
  overture_barricade_lower(&all->called);
}

C_CASE(c_reads, a_callback_may_take_the_bytes_and_free_the_read) {
  test_game game = make_game();
  overture_error why = {.size = sizeof why};
  for (int round = 0; round < 50; ++round) {
    overture_read* read = NULL;
    finished all = {{0}, NULL, OVERTURE_OK, round % 2 == 0};
    overture_read_options options = {.size = sizeof options,
                                     .priority = OVERTURE_READ_HIGH,
                                     .deadline_ns = overture_now_ns() + 1000000,
                                     .done = take,
                                     .context = &all};
    overture_barricade_init(&all.called, false);
    CHECK_OK(overture_read_begin(game.reads, "maps/rome.txt", &options, &read, &why));
    overture_barricade_wait(&all.called);
    CHECK(all.code == OVERTURE_OK);
    CHECK(same_text(all.bytes, "rome of the mod\n"));
    overture_bytes_free(all.bytes);
    if (!all.frees) CHECK_OK(overture_read_free(read, &why));
  }
  free_game(&game); /* at once: the last callback may not have returned yet */
}

static void hold(void* context, overture_read* read) {
  (void)read;
  overture_barricade_wait(&((finished*)context)->called);
}

C_CASE(c_reads, a_read_that_will_be_called_done_is_busy_until_that) {
  test_game game = make_game();
  overture_read* first = NULL;
  overture_read* second = NULL;
  overture_pool* one = NULL;
  overture_reads* reads = NULL;
  finished all = {{0}, NULL, OVERTURE_OK, false};
  finished rest = {{0}, NULL, OVERTURE_OK, true};
  overture_error why = {.size = sizeof why};
  overture_pool_config single = {.size = sizeof single, .workers = 1};
  overture_read_options holds = {.size = sizeof holds, .done = hold, .context = &all};
  overture_read_options takes = {.size = sizeof takes, .done = take, .context = &rest};
  overture_barricade_init(&all.called, false);
  overture_barricade_init(&rest.called, false);
  CHECK_OK(overture_pool_make(&single, &one, &why));
  CHECK_OK(overture_reads_make(game.files, one, NULL, &reads, &why));
  CHECK_OK(overture_read_begin(reads, "new.txt", &holds, &first, &why));
  overture_read_wait(first, NULL);
  /* The only worker is in hold(), or will be: nothing else is called done meanwhile. */
  CHECK_OK(overture_read_begin(reads, "new.txt", &takes, &second, &why));
  CHECK(overture_read_free(second, &why) == OVERTURE_BUSY);
  CHECK_OK(overture_read_cancel(second, &why));
  CHECK(overture_read_free(second, &why) == OVERTURE_BUSY);
  overture_barricade_lower(&all.called);
  overture_barricade_wait(&rest.called);
  CHECK(rest.code == OVERTURE_CANCELLED || rest.code == OVERTURE_OK);
  overture_bytes_free(rest.bytes);
  while (overture_read_free(first, &why) == OVERTURE_BUSY) continue;
  CHECK_OK(overture_reads_free(reads, &why));
  CHECK_OK(overture_pool_free(one, &why));
  free_game(&game);
}

static void wait_for_door(void* door) {
  overture_barricade_wait((overture_barricade*)door);
}

C_CASE(c_reads, a_cancelled_read_is_done_as_cancelled) {
  test_game game = make_game();
  overture_pool* one = NULL;
  overture_reads* reads = NULL;
  overture_read* read = NULL;
  overture_bytes* bytes = NULL;
  overture_barricade door;
  overture_error why = {.size = sizeof why};
  overture_pool_config single = {.size = sizeof single, .workers = 1};
  overture_reads_config few = {.size = sizeof few, .threads = 1};
  overture_read_options low = {.size = sizeof low, .priority = OVERTURE_READ_LOW};
  overture_barricade_init(&door, false);
  CHECK_OK(overture_pool_make(&single, &one, &why));
  CHECK_OK(overture_reads_make(game.files, one, &few, &reads, &why));
  /* Keeps the only worker busy, so that the read cannot begin. */
  CHECK_OK(overture_pool_submit(one, wait_for_door, &door, NULL, NULL, &why));
  CHECK_OK(overture_read_begin(reads, "new.txt", &low, &read, &why));
  CHECK(!overture_read_is_done(read));
  CHECK(overture_read_wait_for(read, 1000, &why) == OVERTURE_BUSY);
  CHECK(overture_read_take(read, &bytes, &why) == OVERTURE_BUSY);
  CHECK_OK(overture_read_cancel(read, &why));
  overture_barricade_lower(&door);
  CHECK_OK(overture_read_wait(read, &why));
  CHECK(overture_read_take(read, &bytes, &why) == OVERTURE_CANCELLED);
  CHECK_OK(overture_read_free(read, &why));
  /* Freed while it is under way. */
  CHECK_OK(overture_read_begin(reads, "maps/troy.txt", NULL, &read, &why));
  CHECK_OK(overture_read_free(read, &why));
  CHECK_OK(overture_reads_free(reads, &why));
  CHECK_OK(overture_pool_free(one, &why));
  free_game(&game);
}

typedef struct freeing {
  overture_read* read;
  overture_barricade freed;
} freeing;

static void free_read(void* context) {
  freeing* all = (freeing*)context;
  CHECK(overture_read_free(all->read, NULL) == OVERTURE_OK);
  overture_barricade_lower(&all->freed);
}

C_CASE(c_reads, to_free_a_read_is_to_wait_for_its_end) {
  test_game game = make_game();
  overture_pool* one = NULL;
  overture_reads* reads = NULL;
  overture_barricade door;
  freeing all = {NULL, {0}};
  overture_error why = {.size = sizeof why};
  overture_pool_config single = {.size = sizeof single, .workers = 1};
  overture_barricade_init(&door, false);
  overture_barricade_init(&all.freed, false);
  CHECK_OK(overture_pool_make(&single, &one, &why));
  CHECK_OK(overture_reads_make(game.files, one, NULL, &reads, &why));
  CHECK_OK(overture_pool_submit(one, wait_for_door, &door, NULL, NULL, &why));
  CHECK_OK(overture_read_begin(reads, "new.txt", NULL, &all.read, &why));
  CHECK_OK(overture_pool_submit(game.pool, free_read, &all, NULL, NULL, &why));
  CHECK(overture_barricade_wait_for(&all.freed, 20000000) == OVERTURE_BUSY);
  overture_barricade_lower(&door);
  overture_barricade_wait(&all.freed);
  CHECK_OK(overture_reads_free(reads, &why));
  CHECK_OK(overture_pool_free(one, &why));
  free_game(&game);
}

typedef struct many_reads {
  test_game game;
} many_reads;

static void begin_some(void* context, size_t first, size_t last) {
  many_reads* all = (many_reads*)context;
  for (size_t i = first; i < last; ++i) {
    overture_read* read = NULL;
    overture_error why = {.size = sizeof why};
    CHECK_OK(overture_read_begin(all->game.reads, i % 3 == 0 ? "maps/rome.txt" : "readme.txt", NULL,
                                 &read, &why));
    if (i % 5 == 0) CHECK_OK(overture_read_cancel(read, &why));
    CHECK_OK(overture_read_free(read, &why));
  }
}

C_CASE(c_reads, a_pool_may_record_and_use_the_kernels_queue) {
  overture_timeline* timeline = NULL;
  overture_files* files = NULL;
  overture_pool* pool = NULL;
  overture_reads* reads = NULL;
  overture_read* read = NULL;
  overture_error why = {.size = sizeof why};
  overture_reads_config config = {.size = sizeof config, .uring = true};
  CHECK_OK(overture_timeline_make(NULL, &timeline, &why));
  config.timeline = timeline;
  CHECK_OK(overture_files_make(NULL, &files, &why));
  CHECK_OK(overture_files_mount(files, in_folder("base.zip"), NULL, NULL, &why));
  CHECK_OK(overture_pool_make(NULL, &pool, &why));
  CHECK_OK(overture_reads_make(files, pool, &config, &reads, &why));
  CHECK(overture_timeline_free(timeline, &why) == OVERTURE_BUSY);
  CHECK_OK(overture_read_begin(reads, "readme.txt", NULL, &read, &why));
  CHECK_OK(overture_read_free(read, &why));
  CHECK_OK(overture_reads_free(reads, &why));
  CHECK_OK(overture_pool_free(pool, &why));
  CHECK_OK(overture_files_free(files, &why));
  CHECK_OK(overture_timeline_free(timeline, &why));
}

C_CASE(c_reads, several_threads_may_begin_and_free_reads) {
  many_reads all;
  overture_pool* callers = NULL;
  overture_error why = {.size = sizeof why};
  all.game = make_game();
  CHECK_OK(overture_pool_make(NULL, &callers, &why));
  CHECK_OK(overture_parallel_for(callers, 0, 200, 1, begin_some, &all, &why));
  CHECK_OK(overture_pool_free(callers, &why));
  free_game(&all.game);
}

C_CASE(c_reads, null_and_misuse_are_invalid) {
  test_game game = make_game();
  overture_reads* reads = NULL;
  overture_read* read = NULL;
  overture_bytes* bytes = NULL;
  overture_error why = {.size = sizeof why};
  overture_reads_config many = {.size = sizeof many, .threads = 1000000};
  overture_read_options odd = {.size = sizeof odd, .priority = 9};
  CHECK_INVALID(overture_reads_make(NULL, game.pool, NULL, &reads, &why));
  CHECK_INVALID(overture_reads_make(game.files, NULL, NULL, &reads, &why));
  CHECK_INVALID(overture_reads_make(game.files, game.pool, NULL, NULL, &why));
  CHECK(overture_reads_make(game.files, game.pool, &many, &reads, &why) == OVERTURE_LIMIT);
  CHECK_OK(overture_reads_free(NULL, &why));
  CHECK_INVALID(overture_read_begin(NULL, "x", NULL, &read, &why));
  CHECK_INVALID(overture_read_begin(game.reads, NULL, NULL, &read, &why));
  CHECK_INVALID(overture_read_begin(game.reads, "x", NULL, NULL, &why));
  CHECK_INVALID(overture_read_begin(game.reads, "x", &odd, &read, &why));
  CHECK(!overture_read_is_done(NULL));
  CHECK_INVALID(overture_read_wait(NULL, &why));
  CHECK_INVALID(overture_read_wait_for(NULL, 1, &why));
  CHECK_INVALID(overture_read_take(NULL, &bytes, &why));
  CHECK_INVALID(overture_read_cancel(NULL, &why));
  CHECK_OK(overture_read_free(NULL, &why));
  free_game(&game);
}
