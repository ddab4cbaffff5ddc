// SPDX-License-Identifier: Zlib
//
// The timeline: what every thread did, when, and what it waited for. For https://ui.perfetto.dev.
//
//   overture_timeline* timeline = NULL;
//   overture_timeline_make(NULL, &timeline, NULL);
//   overture_timeline_attach(timeline, "main", NULL);  // this thread records from now on
//   overture_pool_config config = {.size = sizeof config, .timeline = timeline};   // and these
//   ...
//   overture_zone decode = overture_zone_begin("decode");
//   ...
//   overture_zone_end(&decode);
//   ...                                                // free the pool and the reads
//   overture_trace_names names = {.size = sizeof names, .files = files};
//   overture_timeline_write_json(timeline, &names, "load.json", NULL);
//
// Recording takes no lock and no memory and costs little more than reading the clock; on a thread
// that is not attached it costs almost nothing. When a thread's ring is full, its oldest events are
// overwritten. Names must outlive the timeline: only pointers are stored. Use few of them.
// overture/trace/timeline.hpp says more.
#pragma once

#include "overture/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct overture_timeline overture_timeline;

typedef struct overture_timeline_config {
  size_t size;                       // sizeof(overture_timeline_config)
  uint32_t events_per_thread;        // 40 bytes each; 0: 65,536
  const overture_allocator* memory;  // NULL: malloc
} overture_timeline_config;

// Errors: out_of_memory, invalid, limit.
OVERTURE_C_API overture_code overture_timeline_make(const overture_timeline_config* config,
                                                    overture_timeline** timeline,
                                                    overture_error* error);
// Detaches the calling thread; all others must be detached already. Error: busy while a pool or
// reads record into it.
OVERTURE_C_API overture_code overture_timeline_free(overture_timeline* timeline,
                                                    overture_error* error);

// The calling thread records from now on, its waits too, under a name of at most 23 bytes, which is
// copied. Workers and read threads attach by themselves. Errors: busy (it records already),
// out_of_memory, invalid.
OVERTURE_C_API overture_code overture_timeline_attach(overture_timeline* timeline,
                                                      const char* thread_name,
                                                      overture_error* error);
// Ends that. Does nothing if the thread does not record into this timeline.
OVERTURE_C_API overture_code overture_timeline_detach(overture_timeline* timeline,
                                                      overture_error* error);

// A span of work of one thread, which begins and ends on it. Spans nest.
typedef struct overture_zone {
  const char* name;
  uint64_t begin_ns;  // 0: the thread did not record
} overture_zone;

OVERTURE_C_API overture_zone overture_zone_begin(const char* name);
// Records the zone. Only the first end of a zone counts; NULL does nothing.
OVERTURE_C_API void overture_zone_end(overture_zone* zone);
// Records that a counter has this value from now on.
OVERTURE_C_API void overture_trace_count(const char* name, uint64_t value);
// Records a point in time.
OVERTURE_C_API void overture_trace_mark(const char* name);

// What zones and requests of files are about has a number, its subject. This says what knows the
// names of numbers; NULL: the file has the numbers only.
typedef struct overture_trace_names {
  size_t size;                         // sizeof(overture_trace_names)
  const struct overture_files* files;  // of loads; frozen still
  const struct overture_store* store;  // of assets
} overture_trace_names;

// Writes what was recorded as Chrome's trace events, replacing the file at `path` (of the system)
// in one step. `names` may be NULL. Call it when the threads that record are idle or detached.
// Errors: those of writing files; out_of_memory; invalid.
OVERTURE_C_API overture_code overture_timeline_write_json(const overture_timeline* timeline,
                                                          const overture_trace_names* names,
                                                          const char* path, overture_error* error);

#ifdef __cplusplus
}
#endif
