/* SPDX-License-Identifier: Zlib */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c_test.h"

/* A store with texts, whose values come in stages if they are asked to, and copies of them. */
typedef struct text_store {
  test_game game;
  overture_store* store;
  overture_asset_type texts;
  overture_asset_type copies;
  uint64_t first_stage; /* 0: one stage */
} text_store;

typedef struct text_copy {
  overture_asset* of;
  overture_asset* wanted;
  overture_asset_name named;
  char text[40];
} text_copy;

static uint64_t stage_bytes(void* context, uint32_t stage) {
  return stage == 0 ? ((text_store*)context)->first_stage : 0;
}

static char reason_buffer[40]; /* which is used again */

static overture_code make_text(void* context, const char* path, const void* bytes,
                               size_t byte_count, overture_needs* needs, void** value,
                               const char** reason) {
  char* text = (char*)malloc(byte_count + 1);
  (void)context;
  CHECK(!overture_needs_is_cancelled(needs));
  if (text == NULL) return OVERTURE_OUT_OF_MEMORY;
  memcpy(text, bytes, byte_count);
  text[byte_count] = '\0';
  *value = text;
  if (strcmp(path, "maps/troy.txt") != 0) return OVERTURE_OK;
  snprintf(reason_buffer, sizeof reason_buffer, "troy has %u letters", (unsigned)byte_count);
  *reason = reason_buffer;
  free(text);
  return OVERTURE_CORRUPT;
}
static void free_text(void* context, void* value) {
  (void)context;
  free(value);
}

/* "readme.txt" is a copy of troy, which fails; others are copies of rome, and want troy. */
static overture_code need_text(void* context, const char* path, const void* bytes,
                               size_t byte_count, overture_needs* needs, void** value,
                               const char** reason) {
  const overture_asset_type texts = ((text_store*)context)->texts;
  const overture_asset_variant part = {.size = sizeof part, .part = "7"};
  const bool fails = strcmp(path, "readme.txt") == 0;
  text_copy* made = (text_copy*)calloc(1, sizeof *made);
  overture_error why = {.size = sizeof why};
  (void)bytes, (void)byte_count, (void)reason;
  if (made == NULL) return OVERTURE_OUT_OF_MEMORY;
  *value = made;
  if (overture_needs_asset(needs, texts, fails ? "maps/troy.txt" : "maps/rome.txt", &made->of,
                           &why) ||
      (!fails && overture_needs_want(needs, texts, "maps/troy.txt", NULL, &made->wanted, &why)) ||
      overture_needs_name_variant(needs, texts, "a", &part, &made->named, &why)) {
    return OVERTURE_IO;
  }
  return OVERTURE_OK;
}
static overture_code copy_text(void* context, void* value, overture_needs* needs,
                               const char** reason) {
  text_copy* made = (text_copy*)value;
  (void)context, (void)reason, (void)needs;
  snprintf(made->text, sizeof made->text, "%s", (const char*)overture_asset_value(made->of));
  return OVERTURE_OK;
}
static void free_copy(void* context, void* value) {
  (void)context;
  overture_asset_free(((text_copy*)value)->of, NULL);
  overture_asset_free(((text_copy*)value)->wanted, NULL);
  free(value);
}

static char missing[] = "missing";

static void open_store(text_store* in, uint64_t first_stage, bool is_dependent) {
  const overture_loader texts = {.size = sizeof texts,
                                 .context = in,
                                 .decode = make_text,
                                 .unload = free_text,
                                 .stage_bytes = stage_bytes,
                                 .placeholder = missing};
  const overture_loader copies = {.size = sizeof copies,
                                  .context = in,
                                  .decode = need_text,
                                  .unload = free_copy,
                                  .build = copy_text,
                                  .dependent = is_dependent};
  overture_error why = {.size = sizeof why};
  in->game = make_game();
  in->first_stage = first_stage;
  CHECK_OK(overture_store_make(in->game.reads, NULL, &in->store, &why));
  CHECK_OK(overture_store_add(in->store, &texts, &in->texts, &why));
  CHECK_OK(overture_store_add(in->store, &copies, &in->copies, &why));
}
static void close_store(text_store* in) {
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_store_free(in->store, &why));
  free_game(&in->game);
}
static overture_asset* get(text_store* in, overture_asset_type type, const char* path) {
  overture_asset* asset = NULL;
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_store_get(in->store, type, path, OVERTURE_ASSET_NORMAL, &asset, &why));
  return asset;
}

C_CASE(c_asset_handles, are_copied_named_and_say_what_they_are_on) {
  text_store in;
  overture_asset* copy = NULL;
  overture_asset* named = NULL;
  overture_error why = {.size = sizeof why};
  char text[14];
  open_store(&in, 0, false);
  overture_asset* const rome = get(&in, in.texts, "maps//rome.txt");
  CHECK(overture_asset_path(rome, text, sizeof text) == 13);
  CHECK(strcmp(text, "maps/rome.txt") == 0);
  CHECK(overture_asset_path(rome, text, 5) == 13);
  CHECK(strcmp(text, "maps") == 0);
  CHECK(overture_asset_path(rome, NULL, 0) == 13);
  CHECK(overture_asset_path(NULL, text, sizeof text) == 0 && text[0] == '\0');

  CHECK_OK(overture_asset_copy(rome, &copy, &why));
  CHECK_OK(overture_asset_wait(rome, UINT64_MAX, &why));
  CHECK_OK(overture_asset_free(rome, &why));
  CHECK(strcmp((const char*)overture_asset_value(copy), "rome of the mod\n") == 0);
  CHECK(overture_asset_version(copy) == 1);
  const overture_asset_name name = overture_asset_name_of(copy);
  CHECK_OK(overture_store_get_named(in.store, name, 0, &named, &why));
  CHECK(overture_asset_value(named) == overture_asset_value(copy));
  CHECK_OK(overture_asset_free(named, &why));
  CHECK(overture_store_free(in.store, &why) == OVERTURE_BUSY); /* the copy counts */
  CHECK_OK(overture_asset_free(copy, &why));
  CHECK_INVALID(overture_asset_copy(NULL, &copy, &why));
  CHECK_INVALID(overture_asset_copy(named, NULL, &why));
  CHECK(overture_asset_version(NULL) == 0);
  CHECK(overture_asset_name_of(NULL).of == NULL);
  CHECK(!overture_needs_is_cancelled(NULL));
  CHECK_INVALID(overture_needs_want(NULL, 0, "x", NULL, &copy, &why));
  close_store(&in);
}

C_CASE(c_asset_handles, names_and_groups_belong_to_one_store) {
  text_store in;
  overture_store* other = NULL;
  overture_asset* named = NULL;
  overture_asset_group* group = NULL;
  overture_error why = {.size = sizeof why};
  open_store(&in, 0, false);
  CHECK_OK(overture_store_make(in.game.reads, NULL, &other, &why));
  overture_asset* const rome = get(&in, in.texts, "maps/rome.txt");
  CHECK_INVALID(overture_store_get_named(other, overture_asset_name_of(rome), 0, &named, &why));
  CHECK(named == NULL && strcmp(why.text, "a name of another store") == 0);
  CHECK_OK(overture_asset_free(rome, &why));
  CHECK_OK(overture_store_free(other, &why));
  CHECK_OK(overture_asset_group_make(in.store, 0, &group, &why));
  CHECK(overture_store_free(in.store, &why) == OVERTURE_BUSY);
  CHECK(strstr(why.text, "group") != NULL);
  CHECK_OK(overture_asset_group_free(group, &why));
  close_store(&in);
}

static overture_code keep_path(void* context, const char* path, const void* bytes,
                               size_t byte_count, overture_needs* needs, void** value,
                               const char** reason) {
  (void)context, (void)bytes, (void)byte_count, (void)needs, (void)reason;
  *value = calloc(1, strlen(path) + 1);
  return *value != NULL ? OVERTURE_OK : OVERTURE_OUT_OF_MEMORY;
}

/* The last that was told. */
static void note_unsettled(void* context, const overture_unsettled* asset) {
  snprintf((char*)context, 100, "%s %s%s%s", asset->path, asset->state, asset->part, asset->needs);
  CHECK(asset->what[0] != '\0');
  CHECK(asset->subject >= 1u << 31);
}

static overture_code never_finish(void* context, void* value, uint64_t budget_ns, bool* again,
                                  const char** reason) {
  (void)value, (void)budget_ns, (void)reason;
  *again = !*(bool*)context;
  return OVERTURE_OK;
}

C_CASE(c_asset_handles, of_what_is_not_there_yet_are_told) {
  bool finishes = false;
  const overture_loader loader = {.size = sizeof loader,
                                  .context = &finishes,
                                  .decode = keep_path,
                                  .finalize = never_finish,
                                  .unload = free_text};
  text_store in;
  overture_asset_type type;
  char told[100] = "";
  overture_error why = {.size = sizeof why};
  open_store(&in, 0, false);
  CHECK_OK(overture_store_add(in.store, &loader, &type, &why));
  overture_asset* const text = get(&in, type, "new.txt");
  while (strcmp(told, "new.txt finalizing") != 0 && why.code == OVERTURE_OK) {
    CHECK_OK(overture_store_pump(in.store, 1000, &why));
    CHECK_OK(overture_store_unsettled(in.store, note_unsettled, told, &why));
  }
  finishes = true;
  CHECK_OK(overture_asset_wait(text, UINT64_MAX, &why));
  told[0] = '\0';
  CHECK_OK(overture_store_unsettled(in.store, note_unsettled, told, &why));
  CHECK(told[0] == '\0');
  CHECK_INVALID(overture_store_unsettled(NULL, note_unsettled, told, &why));
  CHECK_INVALID(overture_store_unsettled(in.store, NULL, told, &why));
  CHECK_OK(overture_asset_free(text, &why));
  close_store(&in);
}

C_CASE(c_asset_handles, of_what_is_wanted_only_may_fail) {
  text_store in;
  overture_error why = {.size = sizeof why};
  open_store(&in, 0, false);
  overture_asset* const one = get(&in, in.copies, "new.txt");
  CHECK_OK(overture_asset_wait(one, UINT64_MAX, &why));
  const text_copy* const value = (const text_copy*)overture_asset_value(one);
  CHECK(strcmp(value->text, "rome of the mod\n") == 0);
  CHECK(overture_asset_wait(value->wanted, UINT64_MAX, &why) == OVERTURE_CORRUPT);
  memset(reason_buffer, 0, sizeof reason_buffer);
  CHECK(overture_asset_status(value->wanted, &why) == OVERTURE_CORRUPT);
  CHECK(strcmp(why.text, "maps/troy.txt: troy has 5 letters") == 0);
  CHECK(overture_asset_value(value->wanted) == missing);
  CHECK(value->named.of != NULL && value->named.of != overture_asset_name_of(value->of).of);
  CHECK_OK(overture_asset_free(one, &why));
  close_store(&in);
}

C_CASE(c_asset_handles, a_placeholder_is_shown_until_the_value_is_there) {
  text_store in;
  overture_error why = {.size = sizeof why};
  open_store(&in, 0, false);
  overture_asset* const none = get(&in, in.texts, "nowhere.txt");
  overture_asset* const text = get(&in, in.texts, "new.txt");
  CHECK_OK(overture_asset_wait(text, UINT64_MAX, &why));
  CHECK(strcmp((const char*)overture_asset_value(text), "new\n") == 0);
  CHECK(overture_asset_wait(none, UINT64_MAX, &why) == OVERTURE_NOT_FOUND);
  CHECK(overture_asset_value(none) == missing);
  CHECK_OK(overture_asset_free(text, &why));
  CHECK_OK(overture_asset_free(none, &why));
  close_store(&in);
}

C_CASE(c_asset_handles, a_dependent_asset_is_built_again_after_a_stage) {
  const uint64_t end_ns = overture_now_ns() + 20000000000u;
  text_store in;
  overture_asset_stage stage = {.size = sizeof stage};
  overture_error why = {.size = sizeof why};
  open_store(&in, 4, true);
  overture_asset* const rome = get(&in, in.texts, "maps/rome.txt");
  CHECK_OK(overture_asset_set_last_stage(rome, 0, &why));
  CHECK_OK(overture_asset_wait(rome, UINT64_MAX, &why));
  overture_asset* const copy = get(&in, in.copies, "new.txt");
  CHECK_OK(overture_asset_wait(copy, UINT64_MAX, &why));
  CHECK(strcmp(((text_copy*)overture_asset_value(copy))->text, "rome") == 0);
  CHECK_OK(overture_asset_get_stage(rome, &stage, &why));
  CHECK(stage.index == 0 && !stage.is_whole && stage.file_bytes == 16);
  CHECK_OK(overture_asset_set_last_stage(rome, UINT32_MAX, &why));
  while (strcmp(((text_copy*)overture_asset_value(copy))->text, "rome") == 0) {
    CHECK_OK(overture_store_pump(in.store, 1000000, &why));
    if (overture_now_ns() > end_ns) break;
  }
  CHECK(strcmp(((text_copy*)overture_asset_value(copy))->text, "rome of the mod\n") == 0);
  CHECK(overture_asset_version(rome) == 2);
  CHECK(overture_asset_version(copy) == 2);
  CHECK_OK(overture_asset_get_stage(rome, &stage, &why));
  CHECK(stage.index == 1 && stage.is_whole);
  CHECK_INVALID(overture_asset_get_stage(NULL, &stage, &why));
  CHECK_INVALID(overture_asset_get_stage(rome, NULL, &why));
  CHECK_OK(overture_asset_free(rome, &why));
  CHECK_OK(overture_asset_free(copy, &why));
  close_store(&in);
}

static void write_file(const char* name, const char* text) {
  FILE* const file = fopen(in_folder(name), "wb");
  CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

C_CASE(c_asset_handles, a_new_file_is_there_after_its_folder_was_mounted_again) {
  text_store in;
  overture_mount mount;
  overture_mount_request again = {.size = sizeof again, .path = in_folder("empty")};
  overture_error why = {.size = sizeof why};
  const uint64_t end_ns = overture_now_ns() + 20000000000u;
  open_store(&in, 0, false);
  CHECK_OK(overture_files_mount(in.game.files, again.path, NULL, &mount, &why));
  overture_asset* const late = get(&in, in.texts, "late.txt");
  CHECK(overture_asset_wait(late, UINT64_MAX, &why) == OVERTURE_NOT_FOUND);
  write_file("empty/late.txt", "late");
  CHECK(!overture_files_exists(in.game.files, "late.txt"));
  CHECK_OK(overture_files_remount(in.game.files, &mount, 1, &again, 1, &mount, &why));
  CHECK(overture_files_exists(in.game.files, "late.txt"));
  CHECK_OK(overture_store_reload(in.store, "late.txt", &why));
  while (overture_asset_version(late) == 0 && overture_now_ns() < end_ns) {
    CHECK_OK(overture_store_pump(in.store, 1000000, &why));
  }
  CHECK_OK(overture_asset_status(late, &why));
  CHECK(strcmp((const char*)overture_asset_value(late), "late") == 0);
  CHECK_OK(overture_asset_free(late, &why));
  close_store(&in);
}

typedef struct told_failure {
  char path[40];
  char text[496];
} told_failure;

static void note_failure(void* context, const overture_asset_event* event) {
  told_failure* const to = (told_failure*)context;
  if (event->kind != OVERTURE_ASSET_FAILED || strcmp(event->path, "readme.txt") != 0) return;
  snprintf(to->path, sizeof to->path, "%s", event->path);
  snprintf(to->text, sizeof to->text, "%s", event->why->text);
}

static const char* const troys_fault = "readme.txt needs maps/troy.txt: troy has 5 letters";

C_CASE(c_asset_handles, an_event_says_what_the_status_says_also_of_what_was_let_go) {
  for (int lets_go = 0; lets_go < 2; ++lets_go) {
    text_store in;
    told_failure told = {.path = ""};
    overture_error why = {.size = sizeof why};
    open_store(&in, 0, false);
    overture_asset* const copy = get(&in, in.copies, "readme.txt");
    CHECK(overture_asset_wait(copy, UINT64_MAX, &why) == OVERTURE_CORRUPT);
    CHECK(strcmp(why.text, troys_fault) == 0);
    if (lets_go) CHECK_OK(overture_asset_free(copy, &why));
    CHECK_OK(overture_store_pump(in.store, 1000000, &why));
    CHECK_OK(overture_store_take_events(in.store, note_failure, &told, &why));
    CHECK(strcmp(told.path, "readme.txt") == 0);
    CHECK(strcmp(told.text, troys_fault) == 0);
    if (!lets_go) CHECK_OK(overture_asset_free(copy, &why));
    close_store(&in);
  }
}

C_CASE(c_asset_handles, a_group_says_why_the_first_of_its_assets_failed) {
  const char* const paths[] = {"new.txt", "readme.txt", "nowhere.txt"};
  text_store in;
  overture_asset_group* group = NULL;
  overture_error why = {.size = sizeof why};
  open_store(&in, 0, false);
  CHECK_OK(overture_asset_group_make(in.store, 0, &group, &why));
  for (int i = 0; i < 3; ++i) {
    overture_asset* const one = get(&in, in.copies, paths[i]);
    CHECK_OK(overture_asset_group_add(group, one, &why));
    CHECK_OK(overture_asset_free(one, &why));
  }
  CHECK(overture_asset_group_wait(group, UINT64_MAX, &why) == OVERTURE_CORRUPT);
  CHECK(strcmp(why.text, troys_fault) == 0);
  CHECK_OK(overture_asset_group_cancel(group, &why));
  CHECK_OK(overture_asset_group_wait(group, UINT64_MAX, &why)); /* it is empty */
  CHECK_OK(overture_asset_group_free(group, &why));
  close_store(&in);
}
