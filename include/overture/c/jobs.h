// SPDX-License-Identifier: Zlib
//
// Jobs: small pieces of work for many cores.
//
//   overture_pool* pool = NULL;
//   overture_pool_make(NULL, &pool, &why);
//   overture_group* group = NULL;
//   overture_group_make(pool, &group, &why);
//   for (int i = 0; i < n; ++i) overture_pool_submit(pool, build, &chunks[i], group, NULL, NULL);
//   overture_group_wait(group, NULL);               // helps with this group's jobs
//
//   overture_parallel_for(pool, 0, n, 0, move_units, &units, NULL);
//
// Workers steal jobs from each other and sleep when there are none; a submit wakes at most one. A
// thread that waits for a group runs jobs of that group meanwhile, and nothing else. Submitting
// takes no memory once the pool is warm. overture/jobs/thread_pool.hpp says more.
#pragma once

#include "overture/c/base.h"
#include "overture/c/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct overture_pool overture_pool;
typedef struct overture_group overture_group;

// What workers without work do.
enum {
  OVERTURE_WAKE_PARK = 0,  // they sleep after a moment
  OVERTURE_WAKE_WARM = 1,  // one of them stays awake for a frame
  OVERTURE_WAKE_SPIN = 2   // all look for work all the time
};

typedef struct overture_pool_config {
  size_t size;                       // sizeof(overture_pool_config)
  uint32_t workers;                  // threads; 0: one less than there are processors, at least one
  int32_t wake;                      // OVERTURE_WAKE_...
  overture_timeline* timeline;       // workers record into it; NULL: none
  const overture_allocator* memory;  // NULL: malloc
} overture_pool_config;

// A job. Runs on a worker, or on a thread that waits.
typedef void (*overture_job)(void* context);

enum { OVERTURE_JOB_HIGH = 1, OVERTURE_JOB_NORMAL = 0, OVERTURE_JOB_LOW = -1 };

// Starts the threads. Errors: out_of_memory and those of starting threads; invalid; limit.
OVERTURE_C_API overture_code overture_pool_make(const overture_pool_config* config,
                                                overture_pool** pool, overture_error* error);
// Runs what is queued, then ends the threads. Not in a job of this pool. Error: busy while groups
// or reads use it, or a job system of yours has not run what it was given.
OVERTURE_C_API overture_code overture_pool_free(overture_pool* pool, overture_error* error);
// Of a job system of yours, its threads. 0 for NULL.
OVERTURE_C_API uint32_t overture_pool_workers(const overture_pool* pool);

// A job system of yours, with threads of your own.
typedef struct overture_host_jobs {
  size_t size;    // sizeof(overture_host_jobs)
  void* context;  // of submit()
  // Has job(job_context) called once, on any thread of yours, now or later; those of the highest
  // `priority` (OVERTURE_JOB_...) first if you can. Any thread calls it, jobs too. If it calls the
  // job itself, before it returns, all that is loaded is decoded on the threads that read: that
  // works, but keeps them from reading.
  void (*submit)(void* context, overture_job job, void* job_context, int32_t priority);
  // How many threads run them. 0: jobs run only on threads that wait, pump or help, until you call
  // some yourself.
  uint32_t threads;
  const overture_allocator* memory;  // about 200 bytes for each job that is queued; NULL: malloc
} overture_host_jobs;

// Makes a pool that has no threads of its own: its jobs run on your job system. The structure is
// copied.
// A thread that waits for a group runs jobs of that group itself if none of yours has begun them,
// so waits inside jobs need no free thread; yours then finds nothing to do when it calls such a
// job, which it must all the same. To record, attach your threads: overture_timeline_attach().
// Errors: out_of_memory, invalid, limit.
OVERTURE_C_API overture_code overture_pool_make_host(const overture_host_jobs* host,
                                                     overture_pool** pool, overture_error* error);

// Jobs that are waited for together. It may be used again after a wait. Errors: out_of_memory,
// invalid.
OVERTURE_C_API overture_code overture_group_make(overture_pool* pool, overture_group** group,
                                                 overture_error* error);
// Error: busy while its jobs have not ended.
OVERTURE_C_API overture_code overture_group_free(overture_group* group, overture_error* error);
// The number of its jobs that have not ended; 0 for NULL.
OVERTURE_C_API uint32_t overture_group_pending(const overture_group* group);
// Runs jobs of the group until all have ended. Error: invalid in a job that belongs to the group,
// which would never end.
OVERTURE_C_API overture_code overture_group_wait(overture_group* group, overture_error* error);
// The same for about so many nanoseconds: a job that has begun is finished. OVERTURE_BUSY: the time
// has run out.
OVERTURE_C_API overture_code overture_group_wait_for(overture_group* group, uint64_t timeout_ns,
                                                     overture_error* error);
// Drops the group's jobs that have not begun, and those submitted from now on. What their contexts
// point to is the program's to free.
OVERTURE_C_API overture_code overture_group_cancel(overture_group* group, overture_error* error);

typedef struct overture_job_options {
  size_t size;       // sizeof(overture_job_options)
  int32_t priority;  // OVERTURE_JOB_...; low ones run in the background, on all workers but one
  const char* name;  // its zone in the timeline, which must outlive that; NULL: none
} overture_job_options;

// Runs job(context) later, as part of `group` unless that is NULL. If very many are queued, or
// there is no memory, the job runs before this returns: hold no lock that it takes. Jobs of a group
// may add to it at any time; other threads only while one of its jobs is known to be pending, or
// none waits for it. Errors: invalid, also if the group is another pool's.
OVERTURE_C_API overture_code overture_pool_submit(overture_pool* pool, overture_job job,
                                                  void* context, overture_group* group,
                                                  const overture_job_options* options,
                                                  overture_error* error);

// A piece of a loop: the numbers from `first` up to but without `last`.
typedef void (*overture_piece)(void* context, size_t first, size_t last);

// Calls piece() for all of [first, last) in pieces of at most `grain` numbers, on all workers and
// the calling thread, and returns when all have returned. Pieces must not wait for each other.
// `grain` 0: about eight pieces for each thread. Also in jobs. Error: invalid.
OVERTURE_C_API overture_code overture_parallel_for(overture_pool* pool, size_t first, size_t last,
                                                   size_t grain, overture_piece piece,
                                                   void* context, overture_error* error);

#ifdef __cplusplus
}
#endif
