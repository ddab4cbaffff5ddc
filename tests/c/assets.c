/* SPDX-License-Identifier: Zlib */
#include <stdlib.h>
#include <string.h>

#include "c_test.h"

C_CASE(c_assets, one_file_is_decoded_on_the_calling_thread) {
  test_game game = make_game();
  overture_decoded* text = NULL;
  overture_decoded_info info = {.size = sizeof info};
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_decode_file(game.files, "readme.txt", &text, &why));
  CHECK_OK(overture_decoded_get_info(text, &info, &why));
  CHECK(info.kind == OVERTURE_KIND_TEXT);
  CHECK(info.lines == 2);
  CHECK(info.width == 0);
  CHECK(strcmp(info.format, "none") == 0);
  CHECK(overture_decoded_size(text) == 15);
  CHECK(memcmp(overture_decoded_data(text), "read me\n", 8) == 0);
  overture_decoded_free(text);
  CHECK(overture_decode_file(game.files, "absent.txt", &text, &why) == OVERTURE_NOT_FOUND);
  CHECK(text == NULL);
  free_game(&game);
}

C_CASE(c_assets, bytes_are_decoded_by_their_content_or_name) {
  overture_decoded* decoded = NULL;
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_decode_bytes("a.txt", "one line", 8, &decoded, &why));
  CHECK(overture_decoded_size(decoded) == 8);
  overture_decoded_free(decoded);
  CHECK(overture_decode_bytes("a.data", "\001\000\377\004", 4, &decoded, &why) ==
        OVERTURE_UNSUPPORTED);
  CHECK(strstr(why.text, "a.data: ") != NULL);
  CHECK(overture_decode_bytes("a.png", "\x89PNG\r\n\x1a\n", 8, &decoded, &why) != OVERTURE_OK);
  CHECK(decoded == NULL);
}

/* --- A store with two types: words, and pages that need words -----------------------------------
 */

typedef struct word_type {
  overture_asset_type number;
  overture_barricade* door; /* decode() waits for it, unless it is NULL */
  int finalized;
  int freed;
  int broken; /* freed by decode(), which has refused them */
} word_type;

typedef struct page {
  overture_asset* word;
  overture_asset_name named; /* "maps/rome.txt", which it keeps by `word` */
  bool built;
} page;

static overture_code make_word(void* context, const char* path, const void* bytes,
                               size_t byte_count, overture_needs* needs, void** value,
                               const char** reason) {
  word_type* type = (word_type*)context;
  char* text = (char*)malloc(byte_count + 1);
  (void)path;
  (void)needs;
  if (type->door != NULL) overture_barricade_wait(type->door);
  if (text == NULL) return OVERTURE_OUT_OF_MEMORY;
  memcpy(text, bytes, byte_count);
  text[byte_count] = '\0';
  *value = text;
  if (strcmp(text, "troy\n") == 0) {
    *reason = "troy has fallen";
    ++type->broken;
    free(text); /* the store ignores the value */
    return OVERTURE_CORRUPT;
  }
  return OVERTURE_OK;
}

static overture_code finish_word(void* context, void* value, uint64_t budget_ns, bool* again,
                                 const char** reason) {
  word_type* type = (word_type*)context;
  (void)value;
  (void)budget_ns;
  (void)reason;
  *again = ++type->finalized % 2 == 1; /* two steps for each */
  return OVERTURE_OK;
}

static void free_word(void* context, void* value) {
  word_type* type = (word_type*)context;
  ++type->freed;
  free(value);
}

static uint64_t size_of_word(void* context, const void* value) {
  (void)context;
  return strlen((const char*)value) + 1;
}

static uint64_t need_of_word(void* context, const char* path, const void* bytes,
                             size_t byte_count) {
  (void)context;
  (void)path;
  (void)bytes;
  return byte_count + 1;
}

static overture_code make_page(void* context, const char* path, const void* bytes,
                               size_t byte_count, overture_needs* needs, void** value,
                               const char** reason) {
  page* made = (page*)calloc(1, sizeof *made);
  overture_asset_type words = *(overture_asset_type*)context;
  overture_error why = {.size = sizeof why};
  (void)bytes;
  (void)byte_count;
  (void)reason;
  if (made == NULL) return OVERTURE_OUT_OF_MEMORY;
  *value = made;
  made->word = (overture_asset*)made; /* an error leaves none */
  if (overture_needs_asset(needs, words + 9, "x", &made->word, &why) != OVERTURE_INVALID ||
      made->word != NULL) {
    return OVERTURE_IO;
  }
  if (overture_needs_name(needs, words + 9, "x", &made->named, &why) != OVERTURE_INVALID ||
      overture_needs_name(needs, words, "../x", &made->named, &why) != OVERTURE_BAD_PATH ||
      overture_needs_name(needs, words, "x", NULL, &why) != OVERTURE_INVALID ||
      overture_needs_name(needs, words, "maps/rome.txt", &made->named, &why) != OVERTURE_OK) {
    return OVERTURE_IO;
  }
  return overture_needs_asset(needs, words,
                              strcmp(path, "new.txt") == 0 ? "maps/troy.txt" : "maps/rome.txt",
                              &made->word, &why);
}

static overture_code build_page(void* context, void* value, overture_needs* needs,
                                const char** reason) {
  const char* word = (const char*)overture_asset_value(((page*)value)->word);
  (void)context, (void)needs;
  ((page*)value)->built = word != NULL && strcmp(word, "rome of the mod\n") == 0;
  if (((page*)value)->built) return OVERTURE_OK;
  *reason = "not of rome";
  return OVERTURE_CORRUPT;
}

static void free_page(void* context, void* value) {
  (void)context;
  overture_asset_free(((page*)value)->word, NULL);
  free(value);
}

C_CASE(c_assets, an_asset_is_ready_after_what_it_needs) {
  test_game game = make_game();
  word_type words = {0, NULL, 0, 0, 0};
  overture_loader word_loader = {.size = sizeof word_loader,
                                 .context = &words,
                                 .decode = make_word,
                                 .finalize = finish_word,
                                 .unload = free_word,
                                 .bytes_of = size_of_word,
                                 .memory_needed = need_of_word};
  overture_loader page_loader = {.size = sizeof page_loader,
                                 .context = &words.number,
                                 .decode = make_page,
                                 .unload = free_page,
                                 .build = build_page};
  overture_asset_type pages = 0;
  overture_store* store = NULL;
  overture_asset* first = NULL;
  overture_asset* broken = NULL;
  overture_asset* named = NULL;
  overture_asset_name name = {.of = NULL};
  overture_store_progress now = {.size = sizeof now};
  overture_store_config config = {
      .size = sizeof config, .keep_bytes = 1000, .files_max = 8, .budget_bytes = 10};
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_store_make(game.reads, &config, &store, &why));
  CHECK_OK(overture_store_add(store, &word_loader, &words.number, &why));
  CHECK_OK(overture_store_add(store, &page_loader, &pages, &why));
  CHECK_OK(overture_store_get(store, pages, "readme.txt", OVERTURE_ASSET_HIGH, &first, &why));
  CHECK_OK(overture_asset_wait(first, UINT64_MAX, &why));
  CHECK_OK(overture_asset_status(first, &why));
  CHECK(words.finalized == 2);
  CHECK(((page*)overture_asset_value(first))->built);
  CHECK(strcmp((const char*)overture_asset_value(((page*)overture_asset_value(first))->word),
               "rome of the mod\n") == 0);
  CHECK_OK(overture_store_get_progress(store, &now, &why));
  CHECK(now.asked == 2 && now.ready == 2 && now.failed == 0);
  CHECK(now.held_bytes == strlen("rome of the mod\n") + 1);
  CHECK(now.kept == 0 && now.kept_bytes == 0 && now.waiting_bytes == 0);

  CHECK_INVALID(overture_store_get_named(store, name, OVERTURE_ASSET_LOW, &named, &why));
  name = ((page*)overture_asset_value(first))->named;
  CHECK_INVALID(overture_store_get_named(store, name, 96, &named, &why));
  CHECK_INVALID(overture_store_get_named(store, name, OVERTURE_ASSET_LOW, NULL, &why));
  CHECK_OK(overture_store_get_named(store, name, OVERTURE_ASSET_LOW, &named, &why));
  CHECK_OK(overture_asset_status(named, &why));
  CHECK_OK(overture_asset_free(named, &why));

  CHECK_OK(overture_store_get(store, pages, "new.txt", OVERTURE_ASSET_BACKGROUND, &broken, &why));
  CHECK(overture_asset_wait(broken, UINT64_MAX, &why) == OVERTURE_CORRUPT);
  CHECK(strstr(why.text, "troy has fallen") != NULL);
  CHECK(strstr(why.text, "maps/troy.txt") != NULL);
  CHECK(overture_asset_value(broken) == NULL);
  CHECK_INVALID(overture_asset_raise(broken, 96, &why));
  CHECK_OK(overture_asset_raise(broken, OVERTURE_ASSET_HIGH, &why));
  CHECK_OK(overture_asset_reload_status(broken, &why));
  CHECK_OK(overture_asset_retry(broken, &why));
  CHECK(overture_asset_wait(broken, UINT64_MAX, &why) == OVERTURE_CORRUPT);

  CHECK(overture_store_free(store, &why) == OVERTURE_BUSY);
  CHECK(overture_reads_free(game.reads, &why) == OVERTURE_BUSY);
  CHECK_OK(overture_asset_free(broken, &why));
  CHECK_OK(overture_asset_free(first, &why));
  CHECK_OK(overture_store_free(store, &why));
  CHECK(words.freed == 1);
  CHECK(words.broken == 2);
  free_game(&game);
}

C_CASE(c_assets, priorities_of_many_are_numbers_and_change_together) {
  test_game game = make_game();
  word_type words = {0, NULL, 0, 0, 0};
  const overture_loader loader = {
      .size = sizeof loader, .context = &words, .decode = make_word, .unload = free_word};
  overture_store* store = NULL;
  overture_store* other = NULL;
  overture_asset* both[2] = {NULL, NULL};
  int32_t to[2] = {OVERTURE_ASSET_HIGHEST, OVERTURE_ASSET_LOWEST};
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_store_make(game.reads, NULL, &store, &why));
  CHECK_OK(overture_store_make(game.reads, NULL, &other, &why));
  CHECK_OK(overture_store_add(store, &loader, &words.number, &why));
  CHECK_OK(overture_store_get(store, words.number, "maps/rome.txt", 3, &both[0], &why));
  CHECK_OK(overture_store_get(store, words.number, "readme.txt", -150, &both[1], &why));
  CHECK_OK(overture_store_set_priorities(store, both, to, 2, &why));
  CHECK_OK(overture_store_set_priorities(store, NULL, NULL, 0, &why));
  CHECK_INVALID(overture_store_set_priorities(NULL, both, to, 2, &why));
  CHECK_INVALID(overture_store_set_priorities(other, both, to, 2, &why));
  CHECK_INVALID(overture_store_set_priorities(store, NULL, to, 2, &why));
  CHECK_INVALID(overture_store_set_priorities(store, both, NULL, 2, &why));
  to[1] = OVERTURE_ASSET_LOWEST - 1;
  CHECK_INVALID(overture_store_set_priorities(store, both, to, 2, &why));
  CHECK_OK(overture_asset_wait(both[0], UINT64_MAX, &why));
  CHECK_OK(overture_asset_wait(both[1], UINT64_MAX, &why));
  CHECK_OK(overture_asset_free(both[0], &why));
  CHECK_OK(overture_asset_free(both[1], &why));
  CHECK_OK(overture_store_free(other, &why));
  CHECK_OK(overture_store_free(store, &why));
  free_game(&game);
}

C_CASE(c_assets, a_group_holds_raises_waits_and_gives_up) {
  test_game game = make_game();
  word_type words = {0, NULL, 0, 0, 0};
  const overture_loader loader = {
      .size = sizeof loader, .context = &words, .decode = make_word, .unload = free_word};
  overture_store* store = NULL;
  overture_store* other = NULL;
  overture_asset* word = NULL;
  overture_asset_group* level = NULL;
  overture_asset_group_progress now = {.size = sizeof now};
  const overture_store_config config = {.size = sizeof config, .keep_bytes = 1};
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_store_make(game.reads, &config, &store, &why));
  CHECK_OK(overture_store_make(game.reads, NULL, &other, &why));
  CHECK_OK(overture_store_add(store, &loader, &words.number, &why));
  CHECK_INVALID(overture_asset_group_make(NULL, 0, &level, &why));
  CHECK_INVALID(overture_asset_group_make(store, 96, &level, &why));
  CHECK_INVALID(overture_asset_group_make(store, 0, NULL, &why));
  CHECK_OK(overture_asset_group_make(store, OVERTURE_ASSET_LOW, &level, &why));
  CHECK_OK(
      overture_store_get(store, words.number, "maps/rome.txt", OVERTURE_ASSET_LOWEST, &word, &why));
  CHECK_INVALID(overture_asset_group_add(NULL, word, &why));
  CHECK_INVALID(overture_asset_group_add(level, NULL, &why));
  CHECK_OK(overture_asset_group_add(level, word, &why));
  CHECK_OK(overture_asset_free(word, &why));
  CHECK(overture_store_free(store, &why) == OVERTURE_BUSY);
  CHECK_OK(overture_asset_group_set_priority(level, OVERTURE_ASSET_HIGHEST, &why));
  CHECK_INVALID(overture_asset_group_set_priority(level, 1000, &why));
  CHECK_OK(overture_asset_group_wait(level, UINT64_MAX, &why));
  CHECK_OK(overture_asset_group_get_progress(level, &now, &why));
  CHECK(now.assets == 1 && now.ready == 1 && now.failed == 0);
  CHECK(now.bytes_ready == now.bytes_read && now.bytes_ready == strlen("rome of the mod\n"));
  CHECK_OK(overture_asset_group_cancel(level, &why));
  CHECK_OK(overture_store_pump(store, 1000000000, &why));
  CHECK_OK(overture_asset_group_get_progress(level, &now, &why));
  CHECK(now.assets == 0);
  CHECK_OK(overture_asset_group_free(level, &why));
  CHECK_OK(overture_asset_group_free(NULL, &why));
  CHECK_INVALID(overture_asset_group_set_priority(NULL, 0, &why));
  CHECK_INVALID(overture_asset_group_get_progress(NULL, &now, &why));
  CHECK_INVALID(overture_asset_group_wait(NULL, 0, &why));
  CHECK_INVALID(overture_asset_group_cancel(NULL, &why));
  CHECK_OK(overture_store_free(other, &why));
  CHECK_OK(overture_store_free(store, &why));
  CHECK(words.freed == 1);
  free_game(&game);
}

typedef struct told_events {
  const overture_asset* word;
  int loaded, failed, others;
} told_events;

static void note_event(void* context, const overture_asset_event* event) {
  told_events* events = context;
  const bool is_word = overture_asset_event_is_of(event, events->word);
  CHECK(is_word == (strcmp(event->path, "maps/rome.txt") == 0));
  CHECK(strcmp(event->part, "") == 0);
  if (event->kind == OVERTURE_ASSET_LOADED && is_word && event->why->code == OVERTURE_OK) {
    ++events->loaded;
  } else if (event->kind == OVERTURE_ASSET_FAILED && event->why->code == OVERTURE_NOT_FOUND &&
             strstr(event->why->text, "maps/nowhere.txt") != NULL) {
    ++events->failed;
  } else {
    ++events->others;
  }
}

C_CASE(c_assets, events_say_what_has_become_of_assets) {
  test_game game = make_game();
  word_type words = {0, NULL, 0, 0, 0};
  const overture_loader loader = {
      .size = sizeof loader, .context = &words, .decode = make_word, .unload = free_word};
  overture_store* store = NULL;
  overture_asset* word = NULL;
  overture_asset* none = NULL;
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_store_make(game.reads, NULL, &store, &why));
  CHECK_OK(overture_store_add(store, &loader, &words.number, &why));
  CHECK_OK(overture_store_get(store, words.number, "maps/rome.txt", 0, &word, &why));
  CHECK_OK(overture_store_get(store, words.number, "maps/nowhere.txt", 0, &none, &why));
  CHECK_OK(overture_asset_wait(word, UINT64_MAX, &why));
  CHECK(overture_asset_wait(none, UINT64_MAX, &why) == OVERTURE_NOT_FOUND);
  told_events events = {.word = word, .loaded = 0, .failed = 0, .others = 0};
  CHECK_INVALID(overture_store_take_events(NULL, note_event, &events, &why));
  CHECK_INVALID(overture_store_take_events(store, NULL, &events, &why));
  CHECK_OK(overture_store_take_events(store, note_event, &events, &why));
  CHECK_OK(overture_store_take_events(store, note_event, &events, &why));
  CHECK(events.loaded == 1 && events.failed == 1 && events.others == 0);
  CHECK(!overture_asset_event_is_of(NULL, word));
  CHECK_OK(overture_asset_free(word, &why));
  CHECK_OK(overture_asset_free(none, &why));
  CHECK_OK(overture_store_free(store, &why));
  free_game(&game);
}

C_CASE(c_assets, a_wait_for_an_asset_ends_when_its_time_has_run_out) {
  test_game game = make_game();
  overture_barricade door;
  word_type words = {0, &door, 0, 0, 0};
  overture_loader loader = {
      .size = sizeof loader, .context = &words, .decode = make_word, .unload = free_word};
  overture_store* store = NULL;
  overture_asset* word = NULL;
  overture_error why = {.size = sizeof why};
  overture_barricade_init(&door, false);
  CHECK_OK(overture_store_make(game.reads, NULL, &store, &why));
  CHECK_OK(overture_store_add(store, &loader, &words.number, &why));
  CHECK_OK(overture_store_get(store, words.number, "new.txt", OVERTURE_ASSET_LOW, &word, &why));
  CHECK(overture_asset_wait(word, 1000, &why) == OVERTURE_BUSY);
  CHECK(overture_asset_status(word, &why) == OVERTURE_BUSY);
  CHECK(overture_asset_value(word) == NULL);
  overture_barricade_lower(&door);
  while (overture_asset_status(word, &why) == OVERTURE_BUSY) {
    CHECK_OK(overture_store_pump(store, 1000000, &why));
  }
  CHECK(strcmp((const char*)overture_asset_value(word), "new\n") == 0);
  CHECK_OK(overture_store_reload(store, "new.txt", &why));
  CHECK_OK(overture_asset_free(word, &why));
  CHECK_OK(overture_store_free(store, &why));
  CHECK(words.freed == 1);
  free_game(&game);
}

C_CASE(c_assets, a_store_has_as_many_types_as_it_says) {
  test_game game = make_game();
  word_type words = {0, NULL, 0, 0, 0};
  overture_loader loader = {
      .size = sizeof loader, .context = &words, .decode = make_word, .unload = free_word};
  overture_store* store = NULL;
  overture_asset* word = NULL;
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_store_make(game.reads, NULL, &store, &why));
  for (uint32_t i = 0; i < OVERTURE_ASSET_TYPES_MAX; ++i) {
    CHECK_OK(overture_store_add(store, &loader, &words.number, &why));
    CHECK_OK(
        overture_store_get(store, words.number, "new.txt", OVERTURE_ASSET_NORMAL, &word, &why));
    CHECK_OK(overture_asset_wait(word, UINT64_MAX, &why));
    CHECK_OK(overture_asset_free(word, &why));
  }
  CHECK(overture_store_add(store, &loader, &words.number, &why) == OVERTURE_LIMIT);
  CHECK_OK(overture_store_free(store, &why));
  CHECK(words.freed == OVERTURE_ASSET_TYPES_MAX);
  free_game(&game);
}

static overture_code be_busy(void* context, const char* path, const void* bytes, size_t byte_count,
                             overture_needs* needs, void** value, const char** reason) {
  (void)context;
  (void)path;
  (void)bytes;
  (void)byte_count;
  (void)needs;
  (void)value;
  *reason = "the device is busy";
  return OVERTURE_BUSY;
}

C_CASE(c_assets, a_loader_that_is_busy_fails_its_asset) {
  test_game game = make_game();
  overture_loader loader = {.size = sizeof loader, .decode = be_busy, .unload = free_word};
  overture_store* store = NULL;
  overture_asset* word = NULL;
  overture_asset_type type = 0;
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_store_make(game.reads, NULL, &store, &why));
  CHECK_OK(overture_store_add(store, &loader, &type, &why));
  CHECK_OK(overture_store_get(store, type, "maps/rome.txt", 0, &word, &why));
  while (overture_asset_status(word, &why) == OVERTURE_BUSY) overture_store_pump(store, 1000, NULL);
  CHECK_INVALID(overture_asset_status(word, &why));
  CHECK(strstr(why.text, "maps/rome.txt: ") != NULL && strstr(why.text, "\"busy\"") != NULL);
  CHECK_OK(overture_asset_free(word, &why));
  CHECK_OK(overture_store_free(store, &why));
  free_game(&game);
}

C_CASE(c_assets, a_structure_of_a_wrong_size_is_told_from_one_without) {
  test_game game = make_game();
  overture_store_config config = {.size = 0};
  overture_store_progress now = {.size = 5};
  overture_store* store = NULL;
  overture_error why = {.size = sizeof why};
  CHECK_INVALID(overture_store_make(game.reads, &config, &store, &why));
  CHECK(strstr(why.text, "is not set") != NULL);
  config.size = sizeof config - 1;
  CHECK_INVALID(overture_store_make(game.reads, &config, &store, &why));
  CHECK(strstr(why.text, "is wrong") != NULL);
  config.size = (size_t)1 << 20;
  CHECK_INVALID(overture_store_make(game.reads, &config, &store, &why));
  CHECK(strstr(why.text, "is wrong") != NULL);
  CHECK_OK(overture_store_make(game.reads, NULL, &store, &why));
  CHECK_INVALID(overture_store_get_progress(store, &now, &why));
  CHECK(strstr(why.text, "is wrong") != NULL);
  CHECK_OK(overture_store_free(store, &why));
  free_game(&game);
}

C_CASE(c_assets, null_and_misuse_are_invalid) {
  test_game game = make_game();
  word_type words = {0, NULL, 0, 0, 0};
  overture_loader loader = {.size = sizeof loader, .context = &words, .decode = make_word};
  overture_decoded* decoded = NULL;
  overture_decoded_info info = {.size = sizeof info};
  overture_store* store = NULL;
  overture_asset* word = NULL;
  overture_asset_name name = {.of = NULL};
  overture_store_progress now = {.size = sizeof now};
  overture_error why = {.size = sizeof why};
  CHECK_INVALID(overture_decode_file(NULL, "x", &decoded, &why));
  CHECK_INVALID(overture_decode_file(game.files, NULL, &decoded, &why));
  CHECK_INVALID(overture_decode_file(game.files, "x", NULL, &why));
  CHECK_INVALID(overture_decode_bytes(NULL, "x", 1, &decoded, &why));
  CHECK_INVALID(overture_decode_bytes("x", NULL, 1, &decoded, &why));
  CHECK_INVALID(overture_decode_bytes("x", "x", 1, NULL, &why));
  CHECK(overture_decoded_data(NULL) == NULL && overture_decoded_size(NULL) == 0);
  CHECK_INVALID(overture_decoded_get_info(NULL, &info, &why));
  overture_decoded_free(NULL);

  CHECK_INVALID(overture_store_make(NULL, NULL, &store, &why));
  CHECK_INVALID(overture_store_make(game.reads, NULL, NULL, &why));
  CHECK_OK(overture_store_free(NULL, &why));
  CHECK_INVALID(overture_store_add(NULL, &loader, &words.number, &why));
  CHECK_INVALID(overture_store_get(NULL, 0, "x", 0, &word, &why));
  CHECK_INVALID(overture_needs_asset(NULL, 0, "x", &word, &why));
  CHECK_INVALID(overture_needs_name(NULL, 0, "x", &name, &why));
  CHECK_INVALID(overture_store_get_named(NULL, name, 0, &word, &why));
  CHECK_OK(overture_asset_free(NULL, &why));
  CHECK(overture_asset_value(NULL) == NULL);
  CHECK_INVALID(overture_asset_status(NULL, &why));
  CHECK_INVALID(overture_asset_wait(NULL, 1, &why));
  CHECK_INVALID(overture_asset_raise(NULL, 0, &why));
  CHECK_INVALID(overture_asset_retry(NULL, &why));
  CHECK_INVALID(overture_asset_reload_status(NULL, &why));
  CHECK_INVALID(overture_store_pump(NULL, 1, &why));
  CHECK_INVALID(overture_store_reload(NULL, "x", &why));
  CHECK_INVALID(overture_store_get_progress(NULL, &now, &why));

  CHECK_OK(overture_store_make(game.reads, NULL, &store, &why));
  CHECK_INVALID(overture_store_add(store, NULL, &words.number, &why));
  CHECK_INVALID(overture_store_add(store, &loader, &words.number, &why)); /* without unload() */
  loader.unload = free_word;
  CHECK_INVALID(overture_store_add(store, &loader, NULL, &why));
  CHECK_OK(overture_store_add(store, &loader, &words.number, &why));
  CHECK_INVALID(overture_store_get(store, 7, "x", 0, &word, &why));
  CHECK_INVALID(overture_store_get(store, words.number, "x", 96, &word, &why));
  CHECK_INVALID(overture_store_get(store, words.number, NULL, 0, &word, &why));
  CHECK_INVALID(overture_store_get(store, words.number, "x", 0, NULL, &why));
  CHECK_INVALID(overture_store_reload(store, NULL, &why));
  CHECK_OK(overture_store_free(store, &why));
  free_game(&game);
}
