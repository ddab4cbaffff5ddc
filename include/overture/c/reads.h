// SPDX-License-Identifier: Zlib
//
// Reads of whole files that do not block the caller.
//
//   overture_reads* reads = NULL;
//   overture_reads_make(files, pool, NULL, &reads, &why);
//   overture_read* map = NULL;
//   overture_read_begin(reads, "maps/rome.txt", NULL, &map, &why);
//   ...                                           // the game goes on
//   overture_read_wait(map, NULL);                // or overture_read_is_done(), each frame
//   overture_bytes* bytes = NULL;
//   overture_code failed = overture_read_take(map, &bytes, &why);
//   overture_read_free(map, NULL);
//
// What is in the page cache is read at once by a job, the rest by threads of the reads, those of
// high priority and those with an early deadline first; then in the order of the disk. A job
// unpacks and verifies. overture/load/read_file.hpp and overture/io/read_queue.hpp say more.
//
// The same handle carries loads (load.h) and assets (assets.h).
#pragma once

#include "overture/c/jobs.h"
#include "overture/c/vfs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct overture_reads overture_reads;

typedef struct overture_reads_config {
  size_t size;       // sizeof(overture_reads_config)
  uint32_t threads;  // that block in reads; 0: 8 to 16, as many as the disk benefits from
  bool uring;        // one thread with many reads in flight, where the kernel allows it
  // The threads record into it, and those of stores that use these reads; NULL: none.
  overture_timeline* timeline;
  const overture_allocator* memory;  // of its queues; NULL: malloc
} overture_reads_config;

// Starts the threads. `files` and `pool` must not be NULL; both are OVERTURE_BUSY until it is
// freed. Errors: out_of_memory and those of starting threads; limit; invalid.
OVERTURE_C_API overture_code overture_reads_make(overture_files* files, overture_pool* pool,
                                                 const overture_reads_config* config,
                                                 overture_reads** reads, overture_error* error);
// Waits for callbacks that are running, and ends the threads. Not in a callback. Error: busy while
// reads, loads or stores of it exist.
OVERTURE_C_API overture_code overture_reads_free(overture_reads* reads, overture_error* error);

typedef struct overture_read overture_read;

enum { OVERTURE_READ_HIGH = 1, OVERTURE_READ_NORMAL = 0, OVERTURE_READ_LOW = -1 };

// Called once, when the read is done, on a worker. It may take the bytes and free the read.
typedef void (*overture_read_done)(void* context, overture_read* read);

typedef struct overture_read_options {
  size_t size;              // sizeof(overture_read_options)
  int32_t priority;         // OVERTURE_READ_...
  uint64_t deadline_ns;     // on the clock of overture_now_ns(); 0: none
  overture_read_done done;  // NULL: wait for it
  void* context;            // of done()
} overture_read_options;

// Begins to read a file. `read` is set before done() can be called. Errors: bad_path,
// out_of_memory, invalid; all others come with the read.
OVERTURE_C_API overture_code overture_read_begin(overture_reads* reads, const char* path,
                                                 const overture_read_options* options,
                                                 overture_read** read, overture_error* error);
// Whether it has succeeded, failed or been cancelled. False for NULL. One load.
OVERTURE_C_API bool overture_read_is_done(const overture_read* read);
// Returns when it is done. Not in a job or callback: the worker that waits may be the one that is
// needed. Error: invalid.
OVERTURE_C_API overture_code overture_read_wait(overture_read* read, overture_error* error);
// The same for at most so many nanoseconds. OVERTURE_BUSY: the time has run out.
OVERTURE_C_API overture_code overture_read_wait_for(overture_read* read, uint64_t timeout_ns,
                                                    overture_error* error);
// The file's bytes, once. While one thread takes them, no other may use the read. Errors: busy (it
// is not done), invalid (they are taken), cancelled, and those of overture_files_read().
OVERTURE_C_API overture_code overture_read_take(overture_read* read, overture_bytes** bytes,
                                                overture_error* error);
// What is queued ends at once, the rest before its next step: it is done as OVERTURE_CANCELLED,
// unless it was complete before.
OVERTURE_C_API overture_code overture_read_cancel(overture_read* read, overture_error* error);
// Cancels it if it is not done, and waits for that. A read with done() can be freed in that call or
// after it has begun; before, it is OVERTURE_BUSY.
OVERTURE_C_API overture_code overture_read_free(overture_read* read, overture_error* error);

#ifdef __cplusplus
}
#endif
