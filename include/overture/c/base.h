// SPDX-License-Identifier: Zlib
//
// Errors, versions, bytes: what all parts of the C interface share. Begin with overture.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(_WIN32) && defined(__GNUC__)
#define OVERTURE_C_API __attribute__((visibility("default")))
#elif !defined(_WIN32) || !defined(OVERTURE_SHARED)
#define OVERTURE_C_API
#elif defined(OVERTURE_BUILDS_SHARED)
#define OVERTURE_C_API __declspec(dllexport)
#else
#define OVERTURE_C_API __declspec(dllimport)
#endif

#ifdef __cplusplus
extern "C" {
#endif

// One for each way a caller might react.
typedef int32_t overture_code;
enum {
  OVERTURE_OK = 0,
  OVERTURE_NOT_FOUND = 1,       // no such file, folder, entry or mount
  OVERTURE_NOT_A_FILE = 2,      // a folder (or a device) where a file is needed
  OVERTURE_BAD_PATH = 3,        // the path breaks the rules for paths
  OVERTURE_CORRUPT = 4,         // the data is inconsistent, or does not match its checksum
  OVERTURE_TRUNCATED = 5,       // the file ends before the requested bytes
  OVERTURE_IO = 6,              // the operating system failed to read or write
  OVERTURE_PERMISSION = 7,      // the operating system refused access
  OVERTURE_PASSWORD = 8,        // the file is encrypted, and its password is missing or wrong
  OVERTURE_FROZEN = 9,          // the tree is frozen: thaw it first
  OVERTURE_COLLISION = 10,      // two different paths have one hash
  OVERTURE_CANCELLED = 11,      // cancelled on request
  OVERTURE_LIMIT = 12,          // exceeds a limit of the library, or one that you have set
  OVERTURE_OUT_OF_MEMORY = 13,  // the system has no memory
  OVERTURE_UNSUPPORTED = 14,    // a variant or option that this version does not support
  OVERTURE_NO_SPACE = 15,       // the disk is full
  OVERTURE_BUSY = 16,           // not yet, or still in use: try again later
  OVERTURE_INVALID = 17,        // an invalid argument: a mistake in the calling program
  OVERTURE_EXISTS = 18,         // the name is taken, or the folder is not empty
  OVERTURE_REPLACED = 19,       // the mounted file has been deleted from the disk or replaced
  OVERTURE_THREW = 20           // a function of the program threw an exception
};

// What went wrong. Set `size` before the first use, once:
//
//   overture_error why = {.size = sizeof why};
//
// A success sets the code to OVERTURE_OK and the text to "". An error whose size is not set is left
// alone.
typedef struct overture_error {
  size_t size;         // sizeof(overture_error)
  overture_code code;  // as returned
  int32_t os_error;    // errno of the failed system call, or 0
  char text[496];      // a sentence with the paths it is about; cut to fit, ends with NUL
} overture_error;

// The version of the library that runs: 1000000 * major + 1000 * minor + patch.
OVERTURE_C_API uint32_t overture_version(void);
// The version that a program was compiled for. Before 1.0 the first two numbers must agree.
#define OVERTURE_C_VERSION 1000u

// The name of a code in small letters, such as "not_found"; "unknown" for another number. Lives as
// long as the library.
OVERTURE_C_API const char* overture_code_name(overture_code code);

// The number of processors that this process may use, at least 1.
OVERTURE_C_API uint32_t overture_processor_count(void);
// Nanoseconds on the clock of all deadlines and times here; its zero is arbitrary.
OVERTURE_C_API uint64_t overture_now_ns(void);

// What memory is for: the module that asks for it.
enum {
  OVERTURE_MEMORY_BASE = 0,
  OVERTURE_MEMORY_TRACE = 1,
  OVERTURE_MEMORY_JOBS = 2,
  OVERTURE_MEMORY_IO = 3,    // what is read
  OVERTURE_MEMORY_VFS = 4,   // tables of mounts
  OVERTURE_MEMORY_LOAD = 5,  // loads and stores
  OVERTURE_MEMORY_DECODE = 6,
  OVERTURE_MEMORY_HOST = 7
};

// Memory from functions of yours, for files, pools, reads, stores, loads, timelines, images and
// sounds: set it in their configurations, which copy it. NULL there: malloc. The functions are
// called on any thread, several at once, until the handle has ended, those of files until the bytes
// that were read have, too. Handles themselves, what overture_decode_file() makes and the values of
// other ready-made loaders are malloc's, and so is what codecs use while they work.
typedef struct overture_allocator {
  size_t size;    // sizeof(overture_allocator)
  void* context;  // of both functions
  // Returns that many bytes, more than 0, aligned to a power of two; or NULL: the call or the file
  // then fails with out_of_memory, and all else carries on. `tag` is an OVERTURE_MEMORY_...
  void* (*allocate)(void* context, size_t bytes, size_t alignment, int32_t tag);
  // Takes it back; the numbers are those of allocate().
  void (*deallocate)(void* context, void* memory, size_t bytes, size_t alignment, int32_t tag);
} overture_allocator;

// Bytes that the library has read for you. They stay until freed, even if what they came from has
// ended. One overture_files has at most 1,048,576 of them at a time. `bytes` may be NULL: no bytes.
typedef struct overture_bytes overture_bytes;
// The first byte, aligned to 64; they are yours and may be written to.
OVERTURE_C_API void* overture_bytes_data(const overture_bytes* bytes);
OVERTURE_C_API size_t overture_bytes_size(const overture_bytes* bytes);
OVERTURE_C_API void overture_bytes_free(overture_bytes* bytes);

#ifdef __cplusplus
}
#endif
