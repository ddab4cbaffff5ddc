// SPDX-License-Identifier: Zlib
//
// Verifies archives and folders, and compares trees: for tools.
//
//   const char* mounts[] = {"base.pk3", "mods/better_ai.zip"};
//   overture_check_summary sum = {.size = sizeof sum};
//   overture_check(mounts, 2, NULL, print_problem, NULL, &sum, &why);
//   overture_diff(before, after, print_difference, NULL, &why);
#pragma once

#include "overture/c/vfs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct overture_check_options {
  size_t size;           // sizeof(overture_check_options)
  uint32_t threads;      // that read and unpack; 0: as many as there are processors
  const char* password;  // of encrypted entries; NULL: none
} overture_check_options;

typedef struct overture_check_summary {
  size_t size;        // sizeof(overture_check_summary)
  uint64_t files;     // that are intact, or have no checksum and could be read
  uint64_t bytes;     // of those, unpacked
  uint64_t problems;  // how often the visitor was called
} overture_check_summary;

// A file that is damaged or cannot be read, a part of a folder or archive that cannot be read
// (`path` is then as stored, and "" if not known), valid during the call. `mount` is the number of
// the path that was given.
typedef void (*overture_check_problem)(void* context, size_t mount, const char* path,
                                       const overture_error* why);

// Mounts each path alone, reads and unpacks every file of it, also what another path hides, and
// verifies its checksum. Not read is what no tree has: names that cannot be in one, and of two
// entries of the same name in one archive the first. Starts threads for as long as it takes. Files
// in folders have no checksum; they are only read. Visits the problems on the calling thread; they
// are no error of the call.
// Errors: those of overture_files_mount(), for the first path that cannot be mounted;
// out_of_memory; invalid. `problem` and `summary` may be NULL.
OVERTURE_C_API overture_code overture_check(const char* const* paths, size_t path_count,
                                            const overture_check_options* options,
                                            overture_check_problem problem, void* context,
                                            overture_check_summary* summary, overture_error* error);

enum {
  OVERTURE_DIFF_LEFT = 1,       // only the left tree has the file
  OVERTURE_DIFF_RIGHT = 2,      // only the right tree has it
  OVERTURE_DIFF_CHANGED = 3,    // both have it, with different bytes
  OVERTURE_DIFF_SAME = 4,       // both have it, with the same bytes
  OVERTURE_DIFF_UNREADABLE = 5  // both have it, and one cannot be read: see `why`
};

// A file of one tree or both, valid during the call. Return false to end the comparison.
typedef bool (*overture_difference)(void* context, const char* path, int32_t kind,
                                    const overture_error* why);

// Compares two trees, first what the left one has, then what only the right one has, each in byte
// order. Reads files only where sizes and checksums do not decide. On the calling thread. Errors:
// out_of_memory, invalid.
OVERTURE_C_API overture_code overture_diff(overture_files* left, overture_files* right,
                                           overture_difference visit, void* context,
                                           overture_error* error);

#ifdef __cplusplus
}
#endif
