/* SPDX-License-Identifier: Zlib */
#include <stdlib.h>
#include <string.h>

#include "c_test.h"

typedef struct text_type {
  overture_asset_type number;
  int decoded;
} text_type;

/* The bytes of a file, the first `count` of them if there are such settings. */
static overture_code make_text(void* context, const char* path, const void* bytes,
                               size_t byte_count, overture_needs* needs, void** value,
                               const char** reason) {
  uint32_t count = 0;
  char* text = (char*)malloc(byte_count + 1);
  (void)path;
  (void)reason;
  if (text == NULL) return OVERTURE_OUT_OF_MEMORY;
  ++((text_type*)context)->decoded;
  if (overture_needs_settings(needs, &count, sizeof count) == 0) count = (uint32_t)byte_count;
  if (count > byte_count) count = (uint32_t)byte_count;
  memcpy(text, bytes, count);
  text[count] = '\0';
  *value = text;
  return OVERTURE_OK;
}

static void free_text(void* context, void* value) {
  (void)context;
  free(value);
}

C_CASE(c_asset_variants, settings_make_an_asset_of_its_own) {
  test_game game = make_game();
  text_type texts = {0, 0};
  const overture_loader loader = {
      .size = sizeof loader, .context = &texts, .decode = make_text, .unload = free_text};
  const uint32_t four = 4;
  const char too_many[OVERTURE_ASSET_SETTINGS_MAX + 1] = {0};
  overture_asset_variant first = {
      .size = sizeof first, .settings = &four, .settings_size = sizeof four};
  overture_store* store = NULL;
  overture_asset* all = NULL;
  overture_asset* some = NULL;
  overture_asset* again = NULL;
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_store_make(game.reads, NULL, &store, &why));
  CHECK_OK(overture_store_add(store, &loader, &texts.number, &why));
  CHECK_OK(overture_store_get_variant(store, texts.number, "maps/rome.txt", NULL, 0, &all, &why));
  CHECK_OK(
      overture_store_get_variant(store, texts.number, "maps/rome.txt", &first, 0, &some, &why));
  CHECK_OK(
      overture_store_get_variant(store, texts.number, "maps/rome.txt", &first, 0, &again, &why));
  CHECK_OK(overture_asset_wait(all, UINT64_MAX, &why));
  CHECK_OK(overture_asset_wait(some, UINT64_MAX, &why));
  CHECK(strcmp((const char*)overture_asset_value(all), "rome of the mod\n") == 0);
  CHECK(strcmp((const char*)overture_asset_value(some), "rome") == 0);
  CHECK(overture_asset_value(again) == overture_asset_value(some));
  CHECK(texts.decoded == 2);
  CHECK_OK(overture_asset_free(again, &why));
  first.settings = too_many;
  first.settings_size = sizeof too_many;
  CHECK(overture_store_get_variant(store, texts.number, "a", &first, 0, &again, &why) ==
        OVERTURE_LIMIT);
  first.settings = NULL;
  first.settings_size = 1;
  CHECK_INVALID(overture_store_get_variant(store, texts.number, "a", &first, 0, &again, &why));
  CHECK_INVALID(overture_needs_variant(NULL, texts.number, "a", NULL, &again, &why));
  CHECK(overture_needs_settings(NULL, NULL, 0) == 0);
  CHECK(strcmp(overture_needs_part(NULL), "") == 0);
  CHECK_OK(overture_asset_free(all, &why));
  CHECK_OK(overture_asset_free(some, &why));
  CHECK_OK(overture_store_free(store, &why));
  free_game(&game);
}

/* A letter of a text: the part of the file is its place, "a" for the first. */
typedef struct letter {
  overture_asset* text;
  int place;
  char is;
} letter;

static overture_code need_text(void* context, const char* path, const void* bytes,
                               size_t byte_count, overture_needs* needs, void** value,
                               const char** reason) {
  letter* made = (letter*)calloc(1, sizeof *made);
  overture_error why = {.size = sizeof why};
  (void)bytes;
  (void)reason;
  if (made == NULL) return OVERTURE_OUT_OF_MEMORY;
  made->place = overture_needs_part(needs)[0] - 'a';
  if (byte_count != 0 || overture_needs_variant(needs, *(overture_asset_type*)context, path, NULL,
                                                &made->text, &why) != OVERTURE_OK) {
    free(made);
    return OVERTURE_IO;
  }
  *value = made;
  return OVERTURE_OK;
}

static overture_code take_letter(void* context, void* value, overture_needs* needs,
                                 const char** reason) {
  letter* made = (letter*)value;
  const char* text = (const char*)overture_asset_value(made->text);
  (void)context, (void)needs;
  if ((size_t)made->place >= strlen(text)) {
    *reason = "the text is shorter";
    return OVERTURE_NOT_FOUND;
  }
  made->is = text[made->place];
  return OVERTURE_OK;
}

static void free_letter(void* context, void* value) {
  (void)context;
  overture_asset_free(((letter*)value)->text, NULL);
  free(value);
}

C_CASE(c_asset_variants, parts_are_made_of_one_value_of_their_file) {
  test_game game = make_game();
  text_type texts = {0, 0};
  overture_asset_type letters = 0;
  const overture_loader text_loader = {
      .size = sizeof text_loader, .context = &texts, .decode = make_text, .unload = free_text};
  const overture_loader letter_loader = {.size = sizeof letter_loader,
                                         .context = &texts.number,
                                         .decode = need_text,
                                         .unload = free_letter,
                                         .build = take_letter,
                                         .without_file = true};
  const char* const parts[] = {"a", "c", "z"};
  overture_asset* held[] = {NULL, NULL, NULL};
  overture_store* store = NULL;
  overture_error why = {.size = sizeof why};
  int i = 0;
  CHECK_OK(overture_store_make(game.reads, NULL, &store, &why));
  CHECK_OK(overture_store_add(store, &text_loader, &texts.number, &why));
  CHECK_OK(overture_store_add(store, &letter_loader, &letters, &why));
  for (i = 0; i < 3; ++i) {
    const overture_asset_variant part = {.size = sizeof part, .part = parts[i]};
    CHECK_OK(overture_store_get_variant(store, letters, "maps/rome.txt", &part, 0, &held[i], &why));
  }
  CHECK_OK(overture_asset_wait(held[0], UINT64_MAX, &why));
  CHECK_OK(overture_asset_wait(held[1], UINT64_MAX, &why));
  CHECK(overture_asset_wait(held[2], UINT64_MAX, &why) == OVERTURE_NOT_FOUND);
  CHECK(strstr(why.text, "maps/rome.txt#z: the text is shorter") != NULL);
  CHECK(((letter*)overture_asset_value(held[0]))->is == 'r');
  CHECK(((letter*)overture_asset_value(held[1]))->is == 'm');
  CHECK(texts.decoded == 1);
  for (i = 0; i < 3; ++i) CHECK_OK(overture_asset_free(held[i], &why));
  CHECK_OK(overture_store_free(store, &why));
  free_game(&game);
}

static uint64_t four_first(void* context, uint32_t stage) {
  (void)context;
  return stage == 0 ? 4 : 0;
}

static overture_code make_stage(void* context, const char* path, const void* bytes,
                                size_t byte_count, overture_needs* needs, void** value,
                                const char** reason) {
  if (overture_needs_file_bytes(needs) != strlen("rome of the mod\n")) return OVERTURE_CORRUPT;
  return make_text(context, path, bytes, byte_count, needs, value, reason);
}

C_CASE(c_asset_variants, values_come_in_stages) {
  test_game game = make_game();
  text_type texts = {0, 0};
  const overture_loader loader = {.size = sizeof loader,
                                  .context = &texts,
                                  .decode = make_stage,
                                  .unload = free_text,
                                  .stage_bytes = four_first};
  overture_store* store = NULL;
  overture_asset* text = NULL;
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_store_make(game.reads, NULL, &store, &why));
  CHECK_OK(overture_store_add(store, &loader, &texts.number, &why));
  CHECK_OK(overture_store_get(store, texts.number, "maps/rome.txt", 0, &text, &why));
  CHECK_OK(overture_asset_set_last_stage(text, 0, &why));
  CHECK_OK(overture_asset_wait(text, UINT64_MAX, &why));
  CHECK(strcmp((const char*)overture_asset_value(text), "rome") == 0);
  CHECK_OK(overture_asset_set_last_stage(text, UINT32_MAX, &why));
  while (strcmp((const char*)overture_asset_value(text), "rome") == 0) {
    CHECK_OK(overture_store_pump(store, 1000000, &why));
  }
  CHECK(strcmp((const char*)overture_asset_value(text), "rome of the mod\n") == 0);
  CHECK_INVALID(overture_asset_set_last_stage(NULL, 0, &why));
  CHECK(overture_needs_file_bytes(NULL) == 0);
  CHECK_OK(overture_asset_free(text, &why));
  CHECK_OK(overture_store_free(store, &why));
  free_game(&game);
}
