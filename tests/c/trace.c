/* SPDX-License-Identifier: Zlib */
#include <stdio.h>
#include <string.h>

#include "c_test.h"

static char text[1u << 20];

static void read_text(const char* path) {
  FILE* file = fopen(path, "rb");
  CHECK(file != NULL);
  if (file == NULL) return;
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
}

static void do_nothing(void* context) {
  (void)context;
}

C_CASE(c_trace, what_threads_did_is_in_the_json) {
  overture_timeline* timeline = NULL;
  overture_pool* pool = NULL;
  overture_group* group = NULL;
  overture_zone zone;
  overture_error why = {.size = sizeof why};
  overture_timeline_config small = {.size = sizeof small, .events_per_thread = 64};
  overture_pool_config config = {.size = sizeof config};
  overture_job_options named = {.size = sizeof named, .name = "named job"};
  CHECK_OK(overture_timeline_make(&small, &timeline, &why));
  CHECK_OK(overture_timeline_attach(timeline, "main of the test", &why));
  CHECK(overture_timeline_attach(timeline, "again", &why) == OVERTURE_BUSY);
  zone = overture_zone_begin("build the map");
  overture_trace_mark("first frame");
  overture_trace_count("units", 17);
  overture_zone_end(&zone);
  overture_zone_end(&zone); /* once more, without effect */

  config.timeline = timeline;
  CHECK_OK(overture_pool_make(&config, &pool, &why));
  CHECK(overture_timeline_free(timeline, &why) == OVERTURE_BUSY);
  CHECK_OK(overture_group_make(pool, &group, &why));
  CHECK_OK(overture_pool_submit(pool, do_nothing, NULL, group, &named, &why));
  CHECK_OK(overture_group_wait(group, &why));
  CHECK_OK(overture_group_free(group, &why));
  CHECK_OK(overture_pool_free(pool, &why));

  CHECK_OK(overture_timeline_detach(timeline, &why));
  CHECK(overture_zone_begin("not recorded").begin_ns == 0);
  CHECK_OK(overture_timeline_write_json(timeline, NULL, in_folder("load.json"), &why));
  read_text(in_folder("load.json"));
  CHECK(strstr(text, "main of the test") != NULL);
  CHECK(strstr(text, "build the map") != NULL);
  CHECK(strstr(strstr(text, "build the map") + 1, "build the map") == NULL);
  CHECK(strstr(text, "first frame") != NULL);
  CHECK(strstr(text, "units") != NULL);
  CHECK(strstr(text, "named job") != NULL);
  CHECK(strstr(text, "not recorded") == NULL);
  CHECK_OK(overture_timeline_free(timeline, &why));
}

static overture_code make_nothing(void* context, const char* path, const void* bytes, size_t size,
                                  overture_needs* needs, void** value, const char** reason) {
  (void)path, (void)bytes, (void)size, (void)needs, (void)reason;
  *value = context;
  return OVERTURE_OK;
}
static void unload_nothing(void* context, void* value) {
  (void)context, (void)value;
}

/* Jobs are run by the thread that waits, which alone records: no other is at work when that is
   written. They are called in the end, too, as a host has to. */
typedef struct kept_jobs {
  overture_job jobs[200];
  void* contexts[200];
  size_t count;
  bool is_locked;
} kept_jobs;
static void keep_job(void* context, overture_job job, void* job_context, int32_t priority) {
  kept_jobs* to = (kept_jobs*)context;
  (void)priority;
  while (__atomic_test_and_set(&to->is_locked, __ATOMIC_ACQUIRE)) {
  }
  if (to->count < sizeof to->jobs / sizeof to->jobs[0]) {
    to->jobs[to->count] = job;
    to->contexts[to->count++] = job_context;
  }
  __atomic_clear(&to->is_locked, __ATOMIC_RELEASE);
}
static void call_all(const kept_jobs* of) {
  for (size_t i = 0; i < of->count; ++i) of->jobs[i](of->contexts[i]);
}

C_CASE(c_trace, files_and_assets_have_their_names_in_the_json) {
  static const char* const only[] = {"maps/troy.txt"};
  test_game game = make_game();
  overture_timeline* timeline = NULL;
  overture_pool* pool = NULL;
  overture_reads* reads = NULL;
  overture_store* store = NULL;
  overture_asset_type type;
  overture_asset* asset = NULL;
  overture_load* load = NULL;
  overture_trace_names names = {.size = sizeof names, .files = game.files};
  const overture_loader loader = {
      .size = sizeof loader, .context = &type, .decode = make_nothing, .unload = unload_nothing};
  const overture_load_options options = {.size = sizeof options, .only = only, .only_count = 1};
  kept_jobs kept = {.count = 0, .is_locked = false};
  const overture_host_jobs jobs = {.size = sizeof jobs, .context = &kept, .submit = keep_job};
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_files_freeze(game.files, &why));
  CHECK_OK(overture_timeline_make(NULL, &timeline, &why));
  CHECK_OK(overture_timeline_attach(timeline, "main", &why));
  CHECK_OK(overture_pool_make_host(&jobs, &pool, &why));
  CHECK_OK(overture_reads_make(game.files, pool, NULL, &reads, &why));
  CHECK_OK(overture_load_start(reads, &options, &load, &why));
  CHECK_OK(overture_load_wait_for(load, UINT64_MAX, &why));
  CHECK_OK(overture_load_free(load, &why));
  CHECK_OK(overture_store_make(reads, NULL, &store, &why));
  CHECK_OK(overture_store_add(store, &loader, &type, &why));
  CHECK_OK(overture_store_get(store, type, "maps/rome.txt", 0, &asset, &why));
  CHECK_OK(overture_asset_wait(asset, UINT64_MAX, &why));
  CHECK_OK(overture_asset_free(asset, &why));
  overture_trace_mark("the end");

  names.store = store;
  CHECK_OK(overture_timeline_write_json(timeline, &names, in_folder("load.json"), &why));
  read_text(in_folder("load.json"));
  CHECK(strstr(text, "\"maps/rome.txt\"") != NULL);
  CHECK(strstr(text, "\"maps/troy.txt\"") != NULL);
  CHECK_OK(overture_timeline_write_json(timeline, NULL, in_folder("load.json"), &why));
  read_text(in_folder("load.json"));
  CHECK(strstr(text, "the end") != NULL && strstr(text, "maps/") == NULL);
  names.size = 1;
  CHECK_INVALID(overture_timeline_write_json(timeline, &names, in_folder("load.json"), &why));
  CHECK_OK(overture_store_free(store, &why));
  CHECK_OK(overture_reads_free(reads, &why));
  call_all(&kept);
  CHECK_OK(overture_pool_free(pool, &why));
  CHECK_OK(overture_timeline_free(timeline, &why));
  free_game(&game);
}

C_CASE(c_trace, a_timeline_that_cannot_be_written_says_so) {
  overture_timeline* timeline = NULL;
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_timeline_make(NULL, &timeline, &why));
  CHECK(overture_timeline_write_json(timeline, NULL, in_folder("absent/load.json"), &why) ==
        OVERTURE_NOT_FOUND);
  CHECK(strstr(why.text, "absent/load.json: ") != NULL);
  CHECK_OK(overture_timeline_free(timeline, &why));
}

C_CASE(c_trace, null_and_misuse_are_invalid) {
  overture_timeline* timeline = NULL;
  overture_timeline_config huge = {.size = sizeof huge, .events_per_thread = UINT32_MAX};
  overture_error why = {.size = sizeof why};
  overture_zone zone;
  CHECK_INVALID(overture_timeline_make(NULL, NULL, &why));
  CHECK(overture_timeline_make(&huge, &timeline, &why) == OVERTURE_LIMIT);
  CHECK_OK(overture_timeline_free(NULL, &why));
  CHECK_INVALID(overture_timeline_attach(NULL, "main", &why));
  CHECK_INVALID(overture_timeline_detach(NULL, &why));
  CHECK_INVALID(overture_timeline_write_json(NULL, NULL, in_folder("load.json"), &why));
  CHECK_OK(overture_timeline_make(NULL, &timeline, &why));
  CHECK_INVALID(overture_timeline_attach(timeline, NULL, &why));
  CHECK_INVALID(overture_timeline_write_json(timeline, NULL, NULL, &why));
  zone = overture_zone_begin(NULL);
  overture_zone_end(&zone);
  overture_zone_end(NULL);
  overture_trace_count(NULL, 1);
  overture_trace_mark(NULL);
  CHECK_OK(overture_timeline_free(timeline, &why));
}
