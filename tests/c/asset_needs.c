/* SPDX-License-Identifier: Zlib */
/* What a loader needs beside what it cannot do without. */
#include <stdlib.h>
#include <string.h>

#include "c_test.h"

typedef struct page {
  overture_asset* word;
  overture_asset* missing;
  bool built;
} page;

static overture_code make_text(void* context, const char* path, const void* bytes,
                               size_t byte_count, overture_needs* needs, void** value,
                               const char** reason) {
  char* made = (char*)calloc(1, byte_count + 1);
  (void)context, (void)path, (void)needs, (void)reason;
  if (made == NULL) return OVERTURE_OUT_OF_MEMORY;
  memcpy(made, bytes, byte_count);
  *value = made;
  return OVERTURE_OK;
}
static void free_text(void* context, void* value) {
  (void)context;
  free(value);
}
static overture_code make_empty_page(void* context, const char* path, const void* bytes,
                                     size_t byte_count, overture_needs* needs, void** value,
                                     const char** reason) {
  (void)context, (void)path, (void)bytes, (void)byte_count, (void)needs, (void)reason;
  *value = calloc(1, sizeof(page));
  return *value == NULL ? OVERTURE_OUT_OF_MEMORY : OVERTURE_OK;
}
static overture_code need_while_building(void* context, void* value, overture_needs* needs,
                                         const char** reason) {
  const overture_asset_type words = *(overture_asset_type*)context;
  page* made = (page*)value;
  (void)reason;
  made->built = overture_needs_is_cancelled(needs) == false &&
                overture_needs_or_placeholder(needs, words, "nowhere.txt", NULL, &made->missing,
                                              NULL) == OVERTURE_OK;
  return overture_needs_asset(needs, words, "maps/rome.txt", &made->word, NULL);
}
static void free_both(void* context, void* value) {
  overture_asset_free(((page*)value)->missing, NULL);
  overture_asset_free(((page*)value)->word, NULL);
  (void)context;
  free(value);
}

C_CASE(c_asset_needs, build_may_need_more_and_do_without_what_is_missing) {
  test_game game = make_game();
  overture_asset_type words = 0;
  overture_loader word_loader = {.size = sizeof word_loader,
                                 .decode = make_text,
                                 .unload = free_text,
                                 .placeholder = "no word"};
  overture_loader page_loader = {.size = sizeof page_loader,
                                 .context = &words,
                                 .decode = make_empty_page,
                                 .unload = free_both,
                                 .build = need_while_building};
  overture_asset_type pages = 0;
  overture_store* store = NULL;
  overture_asset* first = NULL;
  overture_asset* none = NULL;
  page* made = NULL;
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_store_make(game.reads, NULL, &store, &why));
  CHECK_OK(overture_store_add(store, &word_loader, &words, &why));
  CHECK_OK(overture_store_add(store, &page_loader, &pages, &why));
  CHECK_OK(overture_store_get(store, pages, "readme.txt", OVERTURE_ASSET_HIGH, &first, &why));
  CHECK_OK(overture_asset_wait(first, UINT64_MAX, &why));
  made = (page*)overture_asset_value(first);
  CHECK(made->built);
  CHECK_OK(overture_asset_status(made->word, &why));
  CHECK(overture_asset_status(made->missing, &why) == OVERTURE_NOT_FOUND);
  CHECK(strcmp((const char*)overture_asset_value(made->missing), "no word") == 0);
  CHECK_INVALID(overture_needs_or_placeholder(NULL, words, "x", NULL, &none, &why));
  CHECK_OK(overture_asset_free(first, &why));
  CHECK_OK(overture_store_free(store, &why));
  free_game(&game);
}
