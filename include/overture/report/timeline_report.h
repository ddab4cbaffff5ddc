// SPDX-License-Identifier: Zlib
//
// The page of a load, or of what a store loaded, from C: what took the time, and what to change.
// overture/c/trace.h shows how a program records; overture/report/write_report.hpp says what the
// page needs and what it costs.
//
//   overture_timeline_write_report(timeline, files, "load.html", &why);
//   overture_store_write_report(store, timeline, "assets.html", &why);
//
// Link overture::report (pkg-config overture-report), a static library that brings overture::c and
// what C++ needs.
#pragma once

#include "overture/c/assets.h"
#include "overture/c/trace.h"
#include "overture/c/vfs.h"

#ifdef __cplusplus
extern "C" {
#endif

// Writes the page of all that was recorded, replacing the file at `path` (of the system) in one
// step. `files` names what was loaded; NULL: the page has numbers. Assets have numbers only.
// Failures, warnings and overridden files are not on it, which it says. Call it when the threads
// that record are idle or detached. Errors: those of writing files; out_of_memory; invalid.
overture_code overture_timeline_write_report(const overture_timeline* timeline,
                                             const overture_files* files, const char* path,
                                             overture_error* error);

// The same of what a store loaded: how long each asset took and what it waited for, calls of
// overture_store_pump() over their budget, failures. `timeline` is that of the pool and the reads,
// of which other loads may be, but no other store. Otherwise as above.
overture_code overture_store_write_report(const overture_store* store,
                                          const overture_timeline* timeline, const char* path,
                                          overture_error* error);

#ifdef __cplusplus
}
#endif
