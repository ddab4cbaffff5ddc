/* SPDX-License-Identifier: Zlib */
#include <stdio.h>
#include <string.h>

#include "c_test.h"

static void put(const char* name, const char* content) {
  FILE* file = fopen(in_folder(name), "wb");
  CHECK(file != NULL);
  CHECK(fwrite(content, 1, strlen(content), file) == strlen(content));
  CHECK(fclose(file) == 0);
}

/* A writable folder, watched. */
typedef struct watched {
  test_game game;
  overture_mount mount;
  overture_watch* watch; /* NULL: not on this system */
} watched;

static watched begin(void) {
  const overture_mount_options at = {.size = sizeof at, .at = "mod"};
  overture_error why = {.size = sizeof why};
  watched made = {.game = make_game()};
  put("empty/a.txt", "a");
  CHECK_OK(overture_files_mount(made.game.files, in_folder("empty"), &at, &made.mount, &why));
  if (overture_watch_make(made.game.files, &made.watch, &why) == OVERTURE_UNSUPPORTED) return made;
  CHECK(made.watch != NULL);
  CHECK_OK(overture_watch_add(made.watch, made.mount, &why));
  return made;
}

static void end(watched* ends) {
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_watch_free(ends->watch, &why));
  free_game(&ends->game);
}

/* The last change. */
typedef struct last_change {
  char path[40];
  int32_t kind;
  overture_mount mount;
} last_change;

static void note(void* context, const overture_change* change) {
  last_change* last = (last_change*)context;
  snprintf(last->path, sizeof last->path, "%s", change->path);
  last->kind = change->kind;
  last->mount = change->mount;
}

/* Polls until this is the last change: systems other than Linux tell later, and more. */
static void expect_change(watched* of, int32_t kind, const char* path) {
  last_change last = {.kind = -1};
  overture_error why = {.size = sizeof why};
  while (last.kind != kind || strcmp(last.path, path) != 0) {
    CHECK_OK(overture_watch_poll(of->watch, note, &last, &why));
    if (why.code != OVERTURE_OK) return;
  }
  CHECK(last.mount == of->mount);
}

C_CASE(c_watch, files_that_are_written_and_removed_are_told_and_in_the_tree) {
  watched of = begin();
  overture_error why = {.size = sizeof why};
  if (of.watch != NULL) {
    CHECK(overture_files_free(of.game.files, &why) == OVERTURE_BUSY);
    CHECK(!overture_files_exists(of.game.files, "mod/b.txt"));
    put("empty/b.txt", "b");
    expect_change(&of, OVERTURE_CHANGE_WRITTEN, "mod/b.txt");
    CHECK(overture_files_exists(of.game.files, "mod/b.txt"));
    CHECK(remove(in_folder("empty/a.txt")) == 0);
    expect_change(&of, OVERTURE_CHANGE_REMOVED, "mod/a.txt");
    CHECK(!overture_files_exists(of.game.files, "mod/a.txt"));
    CHECK_OK(overture_watch_remove(of.watch, of.mount, &why));
  }
  end(&of);
}

static overture_code first_byte(void* context, const char* path, const void* bytes, size_t size,
                                overture_needs* needs, void** value, const char** reason) {
  static char letters[256];
  const unsigned char letter = size != 0 ? *(const unsigned char*)bytes : 0;
  (void)context, (void)path, (void)needs, (void)reason;
  letters[letter] = (char)letter;
  *value = &letters[letter];
  return OVERTURE_OK;
}
static void keep(void* context, void* value) {
  (void)context, (void)value;
}
static void reload(void* store, const overture_change* change) {
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_store_reload((overture_store*)store, change->path, &why));
}

C_CASE(c_watch, a_store_loads_again_what_has_changed) {
  const overture_loader loader = {.size = sizeof loader, .decode = first_byte, .unload = keep};
  const overture_store_config at_once = {.size = sizeof at_once, .reload_delay_ns = 1};
  watched of = begin();
  overture_store* store = NULL;
  overture_asset_type type;
  overture_asset* letter = NULL;
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_store_make(of.game.reads, &at_once, &store, &why));
  CHECK_OK(overture_store_add(store, &loader, &type, &why));
  CHECK_OK(overture_store_get(store, type, "mod/a.txt", 0, &letter, &why));
  CHECK_OK(overture_asset_wait(letter, UINT64_MAX, &why));
  CHECK(*(const char*)overture_asset_value(letter) == 'a');
  CHECK(overture_asset_subject(letter) != 0 && overture_asset_subject(NULL) == 0);
  CHECK_INVALID(overture_store_reload_mount(NULL, of.mount, &why));
  CHECK(overture_asset_version(letter) == 1);
  CHECK_OK(overture_store_reload_mount(store, of.mount, &why));
  while (overture_asset_version(letter) == 1) CHECK_OK(overture_store_pump(store, 1000000, &why));
  if (of.watch != NULL) {
    put("empty/a.txt", "z");
    while (*(const char*)overture_asset_value(letter) != 'z' && why.code == OVERTURE_OK) {
      CHECK_OK(overture_watch_poll(of.watch, reload, store, &why));
      CHECK_OK(overture_store_pump(store, 1000000, &why));
    }
  }
  CHECK_OK(overture_asset_free(letter, &why));
  CHECK_OK(overture_store_free(store, &why));
  end(&of);
}

C_CASE(c_watch, what_cannot_be_watched_is_refused) {
  watched of = begin();
  overture_mount zip = 0;
  overture_error why = {.size = sizeof why};
  if (of.watch != NULL) {
    CHECK_OK(overture_files_mount(of.game.files, in_folder("odd.zip"), NULL, &zip, &why));
    CHECK(overture_watch_add(of.watch, zip, &why) == OVERTURE_NOT_A_FILE);
    CHECK(strstr(why.text, "odd.zip: ") != NULL);
    CHECK(overture_watch_add(of.watch, 99, &why) == OVERTURE_NOT_FOUND);
    CHECK_INVALID(overture_watch_poll(of.watch, NULL, NULL, &why));
    CHECK(overture_watch_descriptor(of.watch) >= -1);
  }
  end(&of);
}

C_CASE(c_watch, null_is_invalid) {
  overture_watch* watch = NULL;
  last_change last;
  overture_error why = {.size = sizeof why};
  CHECK_INVALID(overture_watch_make(NULL, &watch, &why));
  CHECK_INVALID(overture_watch_make(NULL, NULL, &why));
  CHECK_OK(overture_watch_free(NULL, &why));
  CHECK_INVALID(overture_watch_add(NULL, 0, &why));
  CHECK_INVALID(overture_watch_remove(NULL, 0, &why));
  CHECK_INVALID(overture_watch_poll(NULL, note, &last, &why));
  CHECK(overture_watch_descriptor(NULL) == -1);
}
