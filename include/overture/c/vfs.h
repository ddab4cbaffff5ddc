// SPDX-License-Identifier: Zlib
//
// Folders and archives as one tree: mount, look up, read, write.
//
//   overture_files* files = NULL;
//   overture_files_make(NULL, &files, &why);
//   overture_files_mount(files, "base.pk3", NULL, NULL, &why);
//   overture_files_mount(files, "mods/better_ai/", NULL, NULL, &why);       // wins
//   overture_bytes* map = NULL;
//   overture_files_read(files, "maps/rome.txt", &map, &why);
//
// If several mounts have a path, the latest wins, as mods expect. A mount costs as much as reading
// its directory. Look-ups take no lock, at any time, also while other threads mount and unmount.
// overture/vfs/file_system.hpp says more; docs/guide/vfs.md lists the formats.
#pragma once

#include "overture/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct overture_files overture_files;

typedef struct overture_files_config {
  size_t size;                       // sizeof(overture_files_config)
  bool ignore_case;                  // paths that differ only by case are one path
  bool first_wins;                   // earlier mounts win instead of later ones
  const overture_allocator* memory;  // also for the bytes that are read; NULL: malloc
} overture_files_config;

// An empty tree. Errors: out_of_memory, invalid.
OVERTURE_C_API overture_code overture_files_make(const overture_files_config* config,
                                                 overture_files** files, overture_error* error);
// Error: busy while a file is open, or reads or a watch use it. Bytes that were read stay.
OVERTURE_C_API overture_code overture_files_free(overture_files* files, overture_error* error);

// --- Mounting -----------------------------------------------------------------------------------

// The number of a mount, which is never used again.
typedef uint32_t overture_mount;
#define OVERTURE_NO_MOUNT UINT32_MAX

typedef struct overture_mount_options {
  size_t size;            // sizeof(overture_mount_options)
  const char* at;         // folder of the tree to mount into; NULL: the root
  const char* from;       // only what is below this folder of the folder or archive; NULL: all
  const char* password;   // of encrypted entries; NULL: none
  bool writable;          // allows the functions below that write; folders only
  bool removal_markers;   // a file .wh.NAME removes NAME from the mounts that this one wins over
  bool immutable_source;  // a promise: what is mounted does not change
  // Called once, when the mount and its last open file have ended, on the thread that ended them.
  // Never, if mounting fails. It must not use these files: they may be ending too.
  void (*released)(void* context);
  void* context;     // of released()
  bool allow_bombs;  // reads entries that unpack out of all proportion, which fail with limit
  // Its place among the mounts: directly above this one, or directly below; at most one of the two.
  // NULL, both: it becomes the last.
  const overture_mount* wins_over;
  const overture_mount* loses_to;
} overture_mount_options;

// Mounts a folder or an archive, whose path is one of the system. `mount` may be NULL. Names that
// cannot be in the tree are left out, see overture_files_problem(). Errors: not_found, not_a_file,
// unsupported (not a known format), corrupt, password, frozen, bad_path (of `at` or `from`), limit,
// io, permission, out_of_memory, invalid; not_found also for `from` and another mount.
OVERTURE_C_API overture_code overture_files_mount(overture_files* files, const char* path,
                                                  const overture_mount_options* options,
                                                  overture_mount* mount, overture_error* error);
// The same for an archive in memory, which must stay until `released` is called, or, if mounting
// fails, until this returns. `name` is its name in errors.
OVERTURE_C_API overture_code overture_files_mount_memory(overture_files* files, const char* name,
                                                         const void* bytes, size_t byte_count,
                                                         const overture_mount_options* options,
                                                         overture_mount* mount,
                                                         overture_error* error);
// Files that are open stay open. Errors: not_found, frozen, out_of_memory, invalid.
OVERTURE_C_API overture_code overture_files_unmount(overture_files* files, overture_mount mount,
                                                    overture_error* error);

// One mount of overture_files_remount().
typedef struct overture_mount_request {
  size_t size;                            // sizeof(overture_mount_request)
  const char* path;                       // one of the system, or a name for `bytes`
  const void* bytes;                      // an archive in memory; NULL: the path's
  size_t byte_count;                      //
  const overture_mount_options* options;  // NULL: none
} overture_mount_request;

// Unmounts `out`, then mounts `in`, in one step: other threads see all of it or nothing, and an
// error changes nothing. For mods that come and go, and a folder in which files have appeared. The
// options must not name mounts of `out`. `mounts` has room for in_count, and may be `out`; NULL:
// the numbers are not needed. Errors: those of mounting and unmounting; the text names what could
// not be mounted.
OVERTURE_C_API overture_code overture_files_remount(overture_files* files,
                                                    const overture_mount* out, size_t out_count,
                                                    const overture_mount_request* in,
                                                    size_t in_count, overture_mount* mounts,
                                                    overture_error* error);

typedef struct overture_mount_info {
  size_t size;         // sizeof(overture_mount_info)
  overture_mount id;   //
  uint32_t entries;    // files in it, including those that other mounts hide
  const char* path;    // as it was mounted; these texts are valid until it is unmounted
  const char* format;  // "folder", "zip", ...
} overture_mount_info;

// 0 for NULL.
OVERTURE_C_API size_t overture_files_mount_count(const overture_files* files);
// In the order in which they win, the weakest first; with first_wins the strongest. Not while
// another thread unmounts: the texts may go. Errors: not_found
// (there are fewer), invalid.
OVERTURE_C_API overture_code overture_files_mount_at(const overture_files* files, size_t index,
                                                     overture_mount_info* info,
                                                     overture_error* error);

// Something that a mount has and the tree has not: a name that cannot be in it, or a part that
// could not be read.
typedef struct overture_problem {
  size_t size;        // sizeof(overture_problem)
  overture_mount id;  // the mount
  overture_code
      code;          // why it could not be read; OVERTURE_OK for a name that cannot be in the tree
  char name[256];    // as stored, cut to fit
  char reason[256];  // a few words
} overture_problem;

// How many there are; 0 for NULL.
OVERTURE_C_API size_t overture_files_problem_count(const overture_files* files);
// Parts that could not be read come first. Not while another thread unmounts: the list changes.
// Errors: not_found (there are fewer), invalid.
OVERTURE_C_API overture_code overture_files_problem(const overture_files* files, size_t index,
                                                    overture_problem* problem,
                                                    overture_error* error);

// Merges all mounts into one list; from then on look-ups write nothing, and mounting and unmounting
// are OVERTURE_FROZEN. A load (load.h) needs it. Freezing twice is fine. Errors: collision, limit,
// out_of_memory, invalid.
OVERTURE_C_API overture_code overture_files_freeze(overture_files* files, overture_error* error);
// Ends that. Only while no other thread is in a call with these files: reads and stores that are at
// work are. Errors: busy until a load is freed, which knows its files by their place in the list;
// invalid.
OVERTURE_C_API overture_code overture_files_thaw(overture_files* files, overture_error* error);
// False for NULL.
OVERTURE_C_API bool overture_files_is_frozen(const overture_files* files);

// --- Looking up ---------------------------------------------------------------------------------

typedef struct overture_stat {
  size_t size;           // sizeof(overture_stat)
  uint64_t bytes;        // unpacked; 0 for folders
  int64_t mtime_ns;      // last change, since 1970; 0 if not known
  overture_mount mount;  // the one that wins
  bool is_folder;        //
  bool is_executable;    // as far as the folder or archive says
  bool mtime_is_local;   // mtime_ns is in the packer's time zone, which is not known
} overture_stat;

// The empty path is the root, which always exists. Errors: not_found, bad_path, invalid; of a loose
// file those of opening it.
OVERTURE_C_API overture_code overture_files_stat(overture_files* files, const char* path,
                                                 overture_stat* stat, overture_error* error);
// Whether a file or folder of this path is mounted. False for what cannot be a path, and for NULL.
OVERTURE_C_API bool overture_files_exists(overture_files* files, const char* path);
// Which mounts have a file or folder of this path, the winner first: writes up to `room` of them
// and sets `count` to how many there are. `mounts` may be NULL if room is 0. Errors: bad_path,
// invalid.
OVERTURE_C_API overture_code overture_files_providers(overture_files* files, const char* path,
                                                      overture_mount* mounts, size_t room,
                                                      size_t* count, overture_error* error);

// What is passed to a visitor, for that call only.
typedef struct overture_item {
  size_t size;           // of this structure, set by the library
  const char* name;      // relative to the folder that was asked for
  const char* path;      // in the tree
  overture_mount mount;  // the one that wins
  bool is_folder;        //
} overture_item;

// Return false to end the visit. Runs on the calling thread and may call the library.
typedef bool (*overture_visit)(void* context, const overture_item* item);

// Visits each file and folder directly in `folder`, in byte order. Errors: not_found, not_a_file
// (not a folder), bad_path, out_of_memory, invalid.
OVERTURE_C_API overture_code overture_files_list(overture_files* files, const char* folder,
                                                 overture_visit visit, void* context,
                                                 overture_error* error);
// Visits all files below `folder`, at any depth; no folders.
OVERTURE_C_API overture_code overture_files_walk(overture_files* files, const char* folder,
                                                 overture_visit visit, void* context,
                                                 overture_error* error);

// --- Reading ------------------------------------------------------------------------------------

// Reads, unpacks and verifies a whole file on the calling thread. Errors: not_found, not_a_file,
// bad_path, corrupt, truncated, password, unsupported, limit (4 GiB and more: open it), permission,
// replaced, io, out_of_memory, invalid.
OVERTURE_C_API overture_code overture_files_read(overture_files* files, const char* path,
                                                 overture_bytes** bytes, overture_error* error);

// A file that is read in pieces, of any size. One thread at a time. It stays open if its mount is
// unmounted.
typedef struct overture_file overture_file;

// Errors: as above.
OVERTURE_C_API overture_code overture_file_open(overture_files* files, const char* path,
                                                overture_file** file, overture_error* error);
OVERTURE_C_API overture_code overture_file_free(overture_file* file, overture_error* error);
// Unpacked. 0 for NULL.
OVERTURE_C_API uint64_t overture_file_size(const overture_file* file);
// Of the next read. 0 for NULL.
OVERTURE_C_API uint64_t overture_file_position(const overture_file* file);
// Error: invalid beyond the size, or for NULL. Seeking back in a large compressed file unpacks from
// an earlier point.
OVERTURE_C_API overture_code overture_file_seek(overture_file* file, uint64_t position,
                                                overture_error* error);
// Reads up to `room` bytes and sets `got` to how many: less than `room` only at the end of the
// file. The read that completes a file verifies its checksum, if everything was read. Errors:
// corrupt, truncated, io, invalid; `got` is then 0 and the position unchanged.
OVERTURE_C_API overture_code overture_file_read(overture_file* file, void* to, size_t room,
                                                size_t* got, overture_error* error);

// --- Writing ------------------------------------------------------------------------------------
// In a writable mount; a path is one of the tree and begins with the mount point. Works while
// frozen. Look-ups see the change at once. Files that other programs create or remove in the folder
// are seen after overture_files_remount(), or, in a folder that is not writable, by a poll of a
// watch (overture/c/watch.h); the bytes of a known file are always those on disk. Errors: not_found
// (also for the mount), permission (it is not writable, or the system refuses), bad_path, exists,
// not_a_file, no_space, io, out_of_memory, invalid.

// Writes a whole file and puts it in the place of an old one in one step: whoever opens the path,
// also after a crash, gets the old content or the new. Returns when it is on the disk, which takes
// milliseconds. The folder must exist. Change one path from one thread at a time.
OVERTURE_C_API overture_code overture_files_write(overture_files* files, overture_mount mount,
                                                  const char* path, const void* bytes,
                                                  size_t byte_count, overture_error* error);
// Makes a folder and those above it; succeeds if it is there already.
OVERTURE_C_API overture_code overture_files_make_folder(overture_files* files, overture_mount mount,
                                                        const char* path, overture_error* error);
// Removes a file or an empty folder.
OVERTURE_C_API overture_code overture_files_remove(overture_files* files, overture_mount mount,
                                                   const char* path, overture_error* error);

#ifdef __cplusplus
}
#endif
