// SPDX-License-Identifier: Zlib
//
// Watches mounted folders while the game runs, to reload what an artist has just saved.
//
//   void changed(void* store, const overture_change* change) {
//     if (change->kind == OVERTURE_CHANGE_RESCAN) {
//       overture_store_reload_mount(store, change->mount, NULL);
//     } else {
//       overture_store_reload(store, change->path, NULL);
//     }
//   }
//
// A poll calls it for each file:
//
//   overture_watch* watch = NULL;
//   overture_watch_make(files, &watch, &why);
//   overture_watch_add(watch, mods, &why);
//   while (playing) {
//     overture_watch_poll(watch, changed, store, NULL);
//     overture_store_pump(store, 4000000, NULL);
//   }
//
// A file counts as written when its writer closes it, or when it is renamed into place. A poll adds
// new files to the tree and takes out those that are gone, before it reports them: look-ups see
// them, frozen or not. For that, the folder must be added here before overture_files_freeze(), and
// not be mounted as writable: such a mount knows what is written through the tree, and what others
// do there is reported only. A poll never waits, and without changes it is one system call; there
// is no thread. Linux and Windows. overture/vfs/file_watch.hpp says more.
#pragma once

#include "overture/c/vfs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct overture_watch overture_watch;

// Watches nothing yet. The files are OVERTURE_BUSY until it is freed. Errors: unsupported (by this
// system), limit (of the system), out_of_memory, invalid.
OVERTURE_C_API overture_code overture_watch_make(overture_files* files, overture_watch** watch,
                                                 overture_error* error);
OVERTURE_C_API overture_code overture_watch_free(overture_watch* watch, overture_error* error);

// The functions below: one thread at a time.

// Watches a mounted folder and all folders in it. After an error it is not watched. Errors:
// not_found (no such mount), not_a_file (an archive), unsupported (mounted with `from`), no_space
// (more folders than the system watches: fs.inotify.max_user_watches), exists (a folder in it is
// watched for another mount), limit, io, permission, out_of_memory, invalid.
OVERTURE_C_API overture_code overture_watch_add(overture_watch* watch, overture_mount mount,
                                                overture_error* error);
// Ends that, which unmounting alone does not. Does nothing to a mount that is not watched. Error:
// invalid.
OVERTURE_C_API overture_code overture_watch_remove(overture_watch* watch, overture_mount mount,
                                                   overture_error* error);

enum {
  OVERTURE_CHANGE_WRITTEN = 0,  // created or changed
  OVERTURE_CHANGE_REMOVED = 1,  // also the old name of a renamed file; the new one is written
  // Anything in the mount may have changed: changes were lost, or a folder was moved or removed.
  // The path is the mount point. Files that were known are read anew by
  // overture_store_reload_mount(); new ones and those that are gone are listed by
  // overture_files_remount() only. That makes another mount, so give it the place of the old one
  // (overture_mount_options::loses_to or wins_over), and watch it in place of the old one:
  // overture_watch_remove() first.
  OVERTURE_CHANGE_RESCAN = 2
};
// Valid during the call only.
typedef struct overture_change {
  int32_t kind;          // OVERTURE_CHANGE_...
  const char* path;      // in the tree
  overture_mount mount;  // in which it is, which need not be the one that wins
} overture_change;
typedef void (*overture_changed)(void* context, const overture_change* change);

// Calls `changed` for each change since the last poll, in their order. It must not use this watch.
// Errors: io, invalid.
OVERTURE_C_API overture_code overture_watch_poll(overture_watch* watch, overture_changed changed,
                                                 void* context, overture_error* error);
// A descriptor that becomes readable when there are changes, for an event loop. -1 if there is
// none, and for NULL.
OVERTURE_C_API int overture_watch_descriptor(const overture_watch* watch);

#ifdef __cplusplus
}
#endif
