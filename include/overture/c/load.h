// SPDX-License-Identifier: Zlib
//
// Loads a whole tree, or a part of it, on all cores within a bound of memory.
//
//   overture_files_freeze(files, &why);
//   overture_load* load = NULL;
//   overture_load_options options = {.size = sizeof options, .take = keep_asset};
//   overture_load_start(reads, &options, &load, &why);
//   while (overture_load_wait_for(load, 16000000, NULL) == OVERTURE_BUSY) {  // a frame; works too
//     overture_load_progress now = {.size = sizeof now};
//     overture_load_get_progress(load, &now, NULL);
//     draw_bar(now.fraction);
//   }
//   overture_load_failures(load, print_failure, NULL, NULL);
//   overture_load_free(load, NULL);
//
// Each file is read, unpacked, verified, decoded if a decoder knows its format, and handed to
// take(). A file that fails keeps its error; the others load on. overture/load/load_scope.hpp says
// more.
#pragma once

#include "overture/c/assets.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct overture_load overture_load;

// A file that has loaded, for the call of take() only.
typedef struct overture_loaded {
  size_t size;                 // of this structure, set by the library
  const char* path;            // in the tree
  const void* bytes;           // the file's content
  size_t byte_count;           //
  overture_decoded** decoded;  // what was decoded, or NULL in it; set it to NULL to keep it
} overture_loaded;

typedef struct overture_load_options {
  size_t size;  // sizeof(overture_load_options)
  // Patterns such as "maps/**", of which one must match; overture/base/glob.hpp has their rules.
  const char* const* only;
  size_t only_count;      // 0: all files
  bool no_decoding;       // files are verified but not decoded
  bool one_thread;        // take() runs only in waits and pumps, one file at a time
  uint64_t budget_bytes;  // for files in flight; 0: 256 MiB
  // Takes a loaded file; any other code than OVERTURE_OK makes the file fail, OVERTURE_BUSY as
  // OVERTURE_INVALID: it would never end. On any worker,
  // several at once, unless one_thread is set. NULL: files are only verified.
  overture_code (*take)(void* context, const overture_loaded* file);
  void* context;                     // of take()
  const overture_allocator* memory;  // of what is read and decoded, too; NULL: malloc
} overture_load_options;

// Starts to load. The tree must be frozen, and stay so. What the options point to must stay until
// the load is freed. Errors: invalid (also: not frozen), out_of_memory.
OVERTURE_C_API overture_code overture_load_start(overture_reads* reads,
                                                 const overture_load_options* options,
                                                 overture_load** load, overture_error* error);
// Cancels what is left and waits for what is running. Afterwards nothing is called.
OVERTURE_C_API overture_code overture_load_free(overture_load* load, overture_error* error);
// Works on the load until it is done, for about so many nanoseconds. OVERTURE_BUSY: it is not done.
// One thread at a time, with one_thread always the same.
OVERTURE_C_API overture_code overture_load_wait_for(overture_load* load, uint64_t timeout_ns,
                                                    overture_error* error);
// Begins no more files and drops what waits; then wait for it.
OVERTURE_C_API overture_code overture_load_cancel(overture_load* load, overture_error* error);

typedef struct overture_load_progress {
  size_t size;           // sizeof(overture_load_progress)
  uint64_t files_done;   // whatever became of them
  uint64_t files_total;  //
  uint64_t bytes_done;   // unpacked
  double fraction;       // 0 to 1; never decreases
} overture_load_progress;

// Error: invalid.
OVERTURE_C_API overture_code overture_load_get_progress(const overture_load* load,
                                                        overture_load_progress* progress,
                                                        overture_error* error);

typedef struct overture_load_summary {
  size_t size;             // sizeof(overture_load_summary)
  uint64_t files;          // loaded
  uint64_t failed;         //
  uint64_t warnings;       // of those that loaded, how many have a flaw
  uint64_t cancelled;      //
  uint64_t bytes;          // unpacked; like the next two, of the files that loaded
  uint64_t packed_bytes;   // as stored
  uint64_t decoded_bytes;  //
  uint64_t ns;             // from the start to the last file
  uint64_t hash;           // over path, size and CRC-32 of every loaded file; independent of order
} overture_load_summary;

// Once it is done. Errors: busy, invalid.
OVERTURE_C_API overture_code overture_load_get_summary(const overture_load* load,
                                                       overture_load_summary* summary,
                                                       overture_error* error);

// A file that did not load, or has a flaw; the texts are valid during the call.
typedef void (*overture_load_failed)(void* context, const char* path, const overture_error* why);

// Visits the files that failed, once the load is done, on the calling thread. Errors: busy,
// invalid.
OVERTURE_C_API overture_code overture_load_failures(const overture_load* load,
                                                    overture_load_failed visit, void* context,
                                                    overture_error* error);
// The same for files that loaded although they have a flaw.
OVERTURE_C_API overture_code overture_load_warnings(const overture_load* load,
                                                    overture_load_failed visit, void* context,
                                                    overture_error* error);

#ifdef __cplusplus
}
#endif
