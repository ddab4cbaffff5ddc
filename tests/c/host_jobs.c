/* SPDX-License-Identifier: Zlib */
#include <stdlib.h>
#include <string.h>

#include "c_test.h"

/* Job systems of the program: one with threads, which are another pool's; one that runs each job at
   once; one that keeps them until they are run by hand. */
typedef struct host {
  overture_pool* threads;
  overture_group* given; /* of them */
  overture_job jobs[2000];
  void* contexts[2000];
  size_t first, last;
  int high, low;
} host;

static void to_threads(void* context, overture_job job, void* job_context, int32_t priority) {
  host* to = (host*)context;
  const overture_job_options options = {.size = sizeof options, .priority = priority};
  overture_pool_submit(to->threads, job, job_context, to->given, &options, NULL);
}

static void at_once(void* context, overture_job job, void* job_context, int32_t priority) {
  (void)context;
  (void)priority;
  job(job_context);
}

static void keep(void* context, overture_job job, void* job_context, int32_t priority) {
  host* to = (host*)context;
  if (to->last == sizeof to->jobs / sizeof to->jobs[0]) return;
  to->jobs[to->last] = job;
  to->contexts[to->last++] = job_context;
  if (priority == OVERTURE_JOB_HIGH) ++to->high;
  if (priority == OVERTURE_JOB_LOW) ++to->low;
}
static void run_kept(host* of) {
  while (of->first < of->last) {
    const size_t next = of->first++;
    of->jobs[next](of->contexts[next]);
  }
}

static overture_pool* make_on(host* on, void (*submit)(void*, overture_job, void*, int32_t),
                              uint32_t threads) {
  overture_pool* pool = NULL;
  overture_error why = {.size = sizeof why};
  const overture_host_jobs how = {
      .size = sizeof how, .context = on, .submit = submit, .threads = threads};
  CHECK_OK(overture_pool_make_host(&how, &pool, &why));
  CHECK(overture_pool_workers(pool) == threads);
  return pool;
}

static void start_threads(host* of) {
  const overture_pool_config config = {.size = sizeof config, .workers = 2};
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_pool_make(&config, &of->threads, &why));
  CHECK_OK(overture_group_make(of->threads, &of->given, &why));
}
static void end_threads(host* of) {
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_group_free(of->given, &why));
  CHECK_OK(overture_pool_free(of->threads, &why));
}

typedef struct nest {
  overture_pool* pool;
  overture_barricade met;
  int ran[4];
  overture_code own_wait; /* of a job that waits for its own group */
  overture_group* own;
} nest;

static void leaf(void* ran) {
  *(int*)ran = 1;
}
static void waits_inside(void* context) {
  nest* in = (nest*)context;
  overture_group* inner = NULL;
  overture_group_make(in->pool, &inner, NULL);
  for (int i = 0; i < 4; ++i) overture_pool_submit(in->pool, leaf, &in->ran[i], inner, NULL, NULL);
  overture_group_wait(inner, NULL);
  overture_group_free(inner, NULL);
  in->own_wait = overture_group_wait(in->own, NULL);
}
/* One group with a job that waits for another, whatever threads there are. */
static void run_nest(overture_pool* pool) {
  nest in = {.pool = pool};
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_group_make(pool, &in.own, &why));
  CHECK_OK(overture_pool_submit(pool, waits_inside, &in, in.own, NULL, &why));
  CHECK_OK(overture_group_wait(in.own, &why));
  CHECK(in.ran[0] + in.ran[1] + in.ran[2] + in.ran[3] == 4);
  CHECK_INVALID(in.own_wait);
  CHECK_OK(overture_group_free(in.own, &why));
}

C_CASE(c_host_jobs, waits_run_the_jobs_of_their_group_whatever_the_host_does) {
  host with = {.first = 0};
  host* const keeps = (host*)calloc(1, sizeof *keeps);
  overture_error why = {.size = sizeof why};
  overture_pool* pool = make_on(NULL, at_once, 1);
  run_nest(pool);
  CHECK_OK(overture_pool_free(pool, &why));

  pool = make_on(keeps, keep, 0);
  run_nest(pool);
  CHECK(overture_pool_free(pool, &why) == OVERTURE_BUSY); /* it has them still, though they ran */
  CHECK(strstr(why.text, "has not run") != NULL);
  CHECK(keeps->last == 5);
  run_kept(keeps);
  CHECK_OK(overture_pool_free(pool, &why));
  free(keeps);

  start_threads(&with);
  pool = make_on(&with, to_threads, 2);
  for (int i = 0; i < 100; ++i) run_nest(pool);
  CHECK_OK(overture_group_wait(with.given, &why));
  CHECK_OK(overture_pool_free(pool, &why));
  end_threads(&with);
}

/* Lowers the first barricade, and goes on for a while. */
static void take_a_while(void* begun) {
  const uint64_t end_ns = overture_now_ns() + 200000;
  overture_barricade_lower((overture_barricade*)begun);
  while (overture_now_ns() < end_ns) {
  }
}

C_CASE(c_host_jobs, the_end_of_a_job_elsewhere_wakes_who_waits) {
  host with = {.first = 0};
  overture_group* group = NULL;
  overture_error why = {.size = sizeof why};
  start_threads(&with);
  overture_pool* const pool = make_on(&with, to_threads, 2);
  CHECK_OK(overture_group_make(pool, &group, &why));
  for (int i = 0; i < 50; ++i) {
    overture_barricade begun;
    overture_barricade_init(&begun, false);
    CHECK_OK(overture_pool_submit(pool, take_a_while, &begun, group, NULL, &why));
    overture_barricade_wait(&begun);
    CHECK_OK(overture_group_wait_for(group, 20000000000u, &why));
  }
  CHECK_OK(overture_group_free(group, &why));
  CHECK_OK(overture_group_wait(with.given, &why));
  CHECK_OK(overture_pool_free(pool, &why));
  end_threads(&with);
}

C_CASE(c_host_jobs, jobs_without_a_group_and_cancelled_ones_reach_the_host) {
  host* const with = (host*)calloc(1, sizeof *with);
  int ran[3] = {0, 0, 0};
  overture_error why = {.size = sizeof why};
  overture_group* group = NULL;
  const overture_job_options high = {.size = sizeof high, .priority = OVERTURE_JOB_HIGH};
  const overture_job_options low = {
      .size = sizeof low, .priority = OVERTURE_JOB_LOW, .name = "low"};
  overture_pool* const pool = make_on(with, keep, 3);
  CHECK_OK(overture_group_make(pool, &group, &why));
  CHECK_OK(overture_pool_submit(pool, leaf, &ran[0], NULL, &high, &why));
  CHECK_OK(overture_pool_submit(pool, leaf, &ran[1], group, &low, &why));
  CHECK(with->high == 1);
  CHECK(with->low == 1);
  CHECK_OK(overture_group_cancel(group, &why));
  CHECK_OK(overture_pool_submit(pool, leaf, &ran[2], group, NULL, &why));
  CHECK(overture_group_wait_for(group, 0, &why) == OVERTURE_BUSY); /* one at a time */
  CHECK_OK(overture_group_wait(group, &why));
  CHECK(ran[0] + ran[1] + ran[2] == 0);
  run_kept(with);
  CHECK(ran[0] == 1);
  CHECK(ran[1] + ran[2] == 0);
  CHECK_OK(overture_group_free(group, &why));
  CHECK_OK(overture_pool_free(pool, &why));
  free(with);
}

static void add_up(void* context, size_t first, size_t last) {
  int* const numbers = (int*)context;
  for (size_t i = first; i < last; ++i) ++numbers[i];
}

C_CASE(c_host_jobs, loops_are_forked_to_the_host) {
  static int numbers[10000];
  host with = {.first = 0};
  host* const keeps = (host*)calloc(1, sizeof *keeps);
  overture_error why = {.size = sizeof why};
  overture_pool* pool = make_on(keeps, keep, 4);
  memset(numbers, 0, sizeof numbers);
  CHECK_OK(overture_parallel_for(pool, 0, 10000, 0, add_up, numbers, &why));
  CHECK(keeps->last > 8); /* the host was asked, and was too late */
  run_kept(keeps);
  CHECK_OK(overture_pool_free(pool, &why));
  free(keeps);

  pool = make_on(NULL, at_once, 2);
  CHECK_OK(overture_parallel_for(pool, 0, 10000, 0, add_up, numbers, &why));
  CHECK_OK(overture_pool_free(pool, &why));

  start_threads(&with);
  pool = make_on(&with, to_threads, 2);
  for (int i = 0; i < 20; ++i) {
    CHECK_OK(overture_parallel_for(pool, 0, 10000, 10, add_up, numbers, &why));
  }
  CHECK_OK(overture_group_wait(with.given, &why));
  CHECK_OK(overture_pool_free(pool, &why));
  end_threads(&with);
  for (int i = 0; i < 10000; ++i) {
    if (numbers[i] != 22) CHECK(numbers[i] == 22);
  }
}

/* --- Reads, a load and a store on each -----------------------------------------------------------
 */

static overture_code decode(void* context, const char* path, const void* bytes, size_t byte_count,
                            overture_needs* needs, void** value, const char** reason) {
  overture_asset* need = NULL;
  overture_error why = {.size = sizeof why};
  (void)bytes, (void)reason;
  *value = calloc(1, byte_count + 1);
  if (strcmp(path, "readme.txt") != 0) return OVERTURE_OK;
  if (overture_needs_asset(needs, *(overture_asset_type*)context, "maps/rome.txt", &need, &why)) {
    return why.code;
  }
  overture_asset_free(need, NULL);
  return OVERTURE_OK;
}
static void unload(void* context, void* value) {
  (void)context;
  free(value);
}

static void read_load_and_get(overture_pool* pool) {
  overture_files* files = NULL;
  overture_reads* reads = NULL;
  overture_read* read = NULL;
  overture_bytes* bytes = NULL;
  overture_load* load = NULL;
  overture_store* store = NULL;
  overture_asset* asset = NULL;
  overture_asset_type type = 0;
  overture_load_summary sum = {.size = sizeof sum};
  const overture_loader loader = {
      .size = sizeof loader, .context = &type, .decode = decode, .unload = unload};
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_files_make(NULL, &files, &why));
  CHECK_OK(overture_files_mount(files, in_folder("base.zip"), NULL, NULL, &why));
  CHECK_OK(overture_reads_make(files, pool, NULL, &reads, &why));
  CHECK_OK(overture_read_begin(reads, "maps/rome.txt", NULL, &read, &why));
  CHECK_OK(overture_read_wait(read, &why));
  CHECK_OK(overture_read_take(read, &bytes, &why));
  CHECK(same_text(bytes, "rome of the base\n"));
  overture_bytes_free(bytes);
  CHECK_OK(overture_read_free(read, &why));

  CHECK_OK(overture_store_make(reads, NULL, &store, &why));
  CHECK_OK(overture_store_add(store, &loader, &type, &why));
  CHECK_OK(overture_store_get(store, type, "readme.txt", OVERTURE_ASSET_BACKGROUND, &asset, &why));
  CHECK_OK(overture_asset_wait(asset, UINT64_MAX, &why));
  CHECK_OK(overture_asset_free(asset, &why));
  CHECK_OK(overture_store_free(store, &why));

  CHECK_OK(overture_files_freeze(files, &why));
  CHECK_OK(overture_load_start(reads, NULL, &load, &why));
  CHECK_OK(overture_load_wait_for(load, UINT64_MAX, &why));
  CHECK_OK(overture_load_get_summary(load, &sum, &why));
  CHECK(sum.files == 3);
  CHECK_OK(overture_load_free(load, &why));
  CHECK_OK(overture_reads_free(reads, &why));
  CHECK_OK(overture_files_free(files, &why));
}

C_CASE(c_host_jobs, carry_reads_loads_and_stores) {
  host with = {.first = 0};
  host* const keeps = (host*)calloc(1, sizeof *keeps);
  overture_error why = {.size = sizeof why};
  overture_pool* pool = NULL;
  for (uint32_t threads = 0; threads < 3; ++threads) {
    pool = make_on(NULL, at_once, threads);
    read_load_and_get(pool);
    CHECK_OK(overture_pool_free(pool, &why));
  }
  pool = make_on(keeps, keep, 0); /* whoever waits does all of it */
  read_load_and_get(pool);
  run_kept(keeps);
  CHECK_OK(overture_pool_free(pool, &why));
  free(keeps);

  start_threads(&with);
  pool = make_on(&with, to_threads, 2);
  for (int i = 0; i < 10; ++i) read_load_and_get(pool);
  CHECK_OK(overture_group_wait(with.given, &why));
  CHECK_OK(overture_pool_free(pool, &why));
  end_threads(&with);
}

C_CASE(c_host_jobs, need_a_function_and_a_size) {
  overture_host_jobs how = {.size = sizeof how};
  const overture_allocator none = {.size = sizeof none};
  overture_pool* pool = NULL;
  CHECK_INVALID(overture_pool_make_host(NULL, &pool, NULL));
  CHECK_INVALID(overture_pool_make_host(&how, &pool, NULL)); /* no submit() */
  how.submit = at_once;
  CHECK_INVALID(overture_pool_make_host(&how, NULL, NULL));
  how.memory = &none;
  CHECK_INVALID(overture_pool_make_host(&how, &pool, NULL));
  how.memory = NULL;
  how.threads = 1u << 30;
  CHECK(overture_pool_make_host(&how, &pool, NULL) == OVERTURE_LIMIT);
  CHECK(pool == NULL);
}
