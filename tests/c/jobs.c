/* SPDX-License-Identifier: Zlib */
#include <string.h>

#include "c_test.h"

typedef struct one_job {
  uint64_t number;
  uint64_t square;
} one_job;

static void square(void* context) {
  one_job* job = (one_job*)context;
  job->square = job->number * job->number;
}

C_CASE(c_jobs, a_group_waits_for_its_jobs) {
  enum { COUNT = 1000 };
  static one_job jobs[COUNT];
  overture_pool* pool = NULL;
  overture_group* group = NULL;
  overture_error why = {.size = sizeof why};
  overture_pool_config config = {.size = sizeof config, .workers = 3};
  CHECK_OK(overture_pool_make(&config, &pool, &why));
  CHECK(overture_pool_workers(pool) == 3);
  CHECK_OK(overture_group_make(pool, &group, &why));
  for (uint64_t i = 0; i < COUNT; ++i) {
    jobs[i].number = i;
    CHECK_OK(overture_pool_submit(pool, square, &jobs[i], group, NULL, &why));
  }
  CHECK_OK(overture_group_wait(group, &why));
  CHECK(overture_group_pending(group) == 0);
  for (uint64_t i = 0; i < COUNT; ++i) CHECK(jobs[i].square == i * i);
  CHECK_OK(overture_group_free(group, &why));
  CHECK_OK(overture_pool_free(pool, &why));
}

static void wait_for_door(void* door) {
  overture_barricade_wait((overture_barricade*)door);
}

C_CASE(c_jobs, what_is_in_use_is_busy_and_stays) {
  overture_barricade door;
  overture_pool* pool = NULL;
  overture_group* group = NULL;
  overture_error why = {.size = sizeof why};
  overture_barricade_init(&door, false);
  CHECK_OK(overture_pool_make(NULL, &pool, &why));
  CHECK_OK(overture_group_make(pool, &group, &why));
  CHECK(overture_pool_free(pool, &why) == OVERTURE_BUSY);
  CHECK(strstr(why.text, "groups") != NULL);
  CHECK_OK(overture_pool_submit(pool, wait_for_door, &door, group, NULL, &why));
  CHECK(overture_group_free(group, &why) == OVERTURE_BUSY);
  CHECK(overture_group_pending(group) == 1);
  overture_barricade_lower(&door);
  CHECK_OK(overture_group_wait_for(group, UINT64_MAX - 1, &why));
  CHECK_OK(overture_group_free(group, &why));
  CHECK_OK(overture_pool_free(pool, &why));
}

static void lower_second(void* doors) {
  overture_barricade* both = (overture_barricade*)doors;
  overture_barricade_lower(&both[1]);
  overture_barricade_wait(&both[0]);
}

C_CASE(c_jobs, a_wait_ends_when_its_time_has_run_out) {
  overture_barricade doors[2];
  overture_pool* pool = NULL;
  overture_group* group = NULL;
  overture_error why = {.size = sizeof why};
  overture_barricade_init(&doors[0], false);
  overture_barricade_init(&doors[1], false);
  CHECK_OK(overture_pool_make(NULL, &pool, &why));
  CHECK_OK(overture_group_make(pool, &group, &why));
  CHECK_OK(overture_pool_submit(pool, lower_second, doors, group, NULL, &why));
  overture_barricade_wait(&doors[1]); /* a worker has the job, so this thread cannot run it */
  CHECK(overture_group_wait_for(group, 1000, &why) == OVERTURE_BUSY);
  overture_barricade_lower(&doors[0]);
  CHECK_OK(overture_group_wait(group, &why));
  CHECK_OK(overture_group_free(group, &why));
  CHECK_OK(overture_pool_free(pool, &why));
}

typedef struct self_wait {
  overture_group* group;
  overture_code code;
} self_wait;

static void wait_for_itself(void* context) {
  self_wait* self = (self_wait*)context;
  self->code = overture_group_wait(self->group, NULL);
}

C_CASE(c_jobs, a_job_that_waits_for_its_own_group_is_refused) {
  self_wait self = {NULL, OVERTURE_OK};
  overture_pool* pool = NULL;
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_pool_make(NULL, &pool, &why));
  CHECK_OK(overture_group_make(pool, &self.group, &why));
  CHECK_OK(overture_pool_submit(pool, wait_for_itself, &self, self.group, NULL, &why));
  CHECK_OK(overture_group_wait(self.group, &why));
  CHECK(self.code == OVERTURE_INVALID);
  CHECK_OK(overture_group_free(self.group, &why));
  CHECK_OK(overture_pool_free(pool, &why));
}

C_CASE(c_jobs, a_cancelled_group_runs_nothing_more) {
  one_job job = {7, 0};
  overture_pool* pool = NULL;
  overture_group* group = NULL;
  overture_error why = {.size = sizeof why};
  overture_job_options low = {.size = sizeof low, .priority = OVERTURE_JOB_LOW, .name = "square"};
  CHECK_OK(overture_pool_make(NULL, &pool, &why));
  CHECK_OK(overture_group_make(pool, &group, &why));
  CHECK_OK(overture_group_cancel(group, &why));
  CHECK_OK(overture_pool_submit(pool, square, &job, group, &low, &why));
  CHECK_OK(overture_group_wait(group, &why));
  CHECK(job.square == 0);
  CHECK_OK(overture_group_free(group, &why));
  CHECK_OK(overture_pool_free(pool, &why));
}

typedef struct numbers {
  unsigned char seen[1003];
  size_t largest_piece[1003];
} numbers;

static void see(void* context, size_t first, size_t last) {
  numbers* all = (numbers*)context;
  all->largest_piece[first] = last - first;
  for (size_t i = first; i < last; ++i) ++all->seen[i];
}

C_CASE(c_jobs, a_parallel_loop_visits_each_number_once) {
  static const size_t grains[] = {0, 1, 7, 1000, 5000};
  static numbers all;
  overture_pool* pool = NULL;
  overture_error why = {.size = sizeof why};
  CHECK_OK(overture_pool_make(NULL, &pool, &why));
  for (size_t g = 0; g < sizeof grains / sizeof *grains; ++g) {
    memset(&all, 0, sizeof all);
    CHECK_OK(overture_parallel_for(pool, 3, 1003, grains[g], see, &all, &why));
    for (size_t i = 0; i < 1003; ++i) {
      CHECK(all.seen[i] == (i < 3 ? 0 : 1));
      CHECK(grains[g] == 0 || all.largest_piece[i] <= grains[g]);
    }
  }
  CHECK_OK(overture_parallel_for(pool, 5, 5, 1, see, &all, &why));
  CHECK_OK(overture_parallel_for(pool, SIZE_MAX - 1, SIZE_MAX - 1, 1, see, &all, &why));
  CHECK_OK(overture_pool_free(pool, &why));
}

C_CASE(c_jobs, null_and_misuse_are_invalid) {
  overture_pool* pool = NULL;
  overture_pool* other = NULL;
  overture_group* group = NULL;
  overture_error why = {.size = sizeof why};
  overture_pool_config spin = {.size = sizeof spin, .workers = 1, .wake = 17};
  overture_job_options urgent = {.size = sizeof urgent, .priority = 2};
  CHECK_INVALID(overture_pool_make(NULL, NULL, &why));
  CHECK_INVALID(overture_pool_make(&spin, &pool, &why));
  spin.wake = OVERTURE_WAKE_SPIN;
  spin.workers = 100000;
  CHECK(overture_pool_make(&spin, &pool, &why) == OVERTURE_LIMIT);
  CHECK(pool == NULL);
  CHECK_OK(overture_pool_free(NULL, &why));
  CHECK(overture_pool_workers(NULL) == 0);
  CHECK_INVALID(overture_group_make(NULL, &group, &why));
  CHECK_OK(overture_group_free(NULL, &why));
  CHECK(overture_group_pending(NULL) == 0);
  CHECK_INVALID(overture_group_wait(NULL, &why));
  CHECK_INVALID(overture_group_wait_for(NULL, 1, &why));
  CHECK_INVALID(overture_group_cancel(NULL, &why));
  CHECK_INVALID(overture_pool_submit(NULL, square, NULL, NULL, NULL, &why));
  CHECK_INVALID(overture_parallel_for(NULL, 0, 1, 0, see, NULL, &why));
  spin.workers = 1;
  CHECK_OK(overture_pool_make(&spin, &pool, &why));
  CHECK_OK(overture_pool_make(NULL, &other, &why));
  CHECK_INVALID(overture_group_make(pool, NULL, &why));
  CHECK_OK(overture_group_make(other, &group, &why));
  CHECK_INVALID(overture_pool_submit(pool, NULL, NULL, NULL, NULL, &why));
  CHECK_INVALID(overture_pool_submit(pool, square, NULL, group, NULL, &why));
  CHECK_INVALID(overture_pool_submit(pool, square, NULL, NULL, &urgent, &why));
  CHECK_INVALID(overture_parallel_for(pool, 0, 1, 0, NULL, NULL, &why));
  CHECK_OK(overture_group_free(group, &why));
  CHECK_OK(overture_pool_free(other, &why));
  CHECK_OK(overture_pool_free(pool, &why));
}
