// SPDX-License-Identifier: Zlib
//
// Overture from C, and from every language that can call C.
//
//   overture_error why = {.size = sizeof why};
//   overture_files* files = NULL;
//   if (overture_files_make(NULL, &files, &why)) return report(why.text);
//   if (overture_files_mount(files, "base.pk3", NULL, NULL, &why)) return report(why.text);
//   if (overture_files_mount(files, "mods/better_ai/", NULL, NULL, &why)) return report(why.text);
//
//   overture_bytes* map = NULL;
//   if (overture_files_read(files, "maps/rome.txt", &map, &why)) return report(why.text);
//   use(overture_bytes_data(map), overture_bytes_size(map));
//   overture_bytes_free(map);
//   overture_files_free(files, NULL);
//
// C99, and valid C++. Link overture::c (CMake) or overture-c (pkg-config), which bring the rest of
// the library, for all headers that this one includes. Three are in libraries apart, which stay
// static beside a shared library, and are included by themselves: see the table.
//
//   To ...                              read ...
//   know about errors and versions      c/base.h
//   wait for something                  c/sync.h
//   run work on all cores               c/jobs.h
//   mount, look up, read and write      c/vfs.h
//   read while the game goes on         c/reads.h
//   load a whole game                   c/load.h
//   get assets by name, decode files    c/assets.h
//   ready-made loaders for assets       c/loaders.h              overture::loaders
//   stream music                        c/sounds.h               overture::sounds
//   verify and compare archives         c/check.h
//   save bytes safely                   c/saves.h
//   see where the time goes             c/trace.h
//   notice files that change            c/watch.h
//   as a page for a browser             report/timeline_report.h overture::report
//
// Texts named docs/guide/... are installed in share/doc/overture/guide.
//
// Four rules hold everywhere.
//
// Errors. A function that can fail returns an overture_code, 0 for success, and fills in the
// overture_error that is passed last, unless that is NULL. After an error nothing has changed, and
// what would have been made is NULL. A handle or pointer that must not be NULL, an unknown value of
// an enumeration and a structure without its size are OVERTURE_INVALID. A handle that was freed is
// like any freed pointer: the library cannot tell.
//
// Structures. The first member of each structure that may grow is its size. Set it to the sizeof
// and everything else to 0, which always means the default:
//
//   overture_pool_config config = {.size = sizeof config, .workers = 3};
//
// So a program goes on working with a later library, and with an earlier one as long as it uses
// nothing that is new: what an earlier library does not know must be 0, or is OVERTURE_UNSUPPORTED.
// Where a pointer to options is NULL, everything has its default.
//
// Handles. What ..._make(), ..._open() or ..._begin() gives ends with ..._free(). One that others
// still use is OVERTURE_BUSY and stays: free what was made from it first. Freeing NULL does
// nothing.
//
// Threads. Any thread may call any function, several at once on one handle, unless it says
// otherwise. Free a handle once, when no other call uses it. A callback runs on the thread that
// its function names. It must return on that thread, and nothing may leave it but by returning: no
// longjmp, no C++ exception, no pthread_exit(). Nor may a thread be cancelled in a call.
//
// fork(). A child may read, save, and use what it makes itself. What another thread was changing at
// that moment (mounting, say) stays locked in the child for ever.
//
// Texts are UTF-8. A path of the tree is made normal first ("/a//b/" is "a/b"); see
// overture/base/path.hpp for what cannot be a path. Times are in nanoseconds, sizes in bytes.
//
// The interface needs 64 bits. Until version 1.0 it may change with each minor version.
#pragma once

#include "overture/c/assets.h"
#include "overture/c/base.h"
#include "overture/c/check.h"
#include "overture/c/jobs.h"
#include "overture/c/load.h"
#include "overture/c/reads.h"
#include "overture/c/saves.h"
#include "overture/c/sync.h"
#include "overture/c/trace.h"
#include "overture/c/vfs.h"
#include "overture/c/watch.h"
