// SPDX-License-Identifier: Zlib
//
// write_report: a load, or what an asset_store loaded, as one page, which says what took the time
// and what to change.
//
//   timeline record;
//   record.attach_thread("main");
//   thread_pool jobs{{.workers = 3, .record = &record}};
//   read_queue reads{files, {.record = &record}};
//   load_scope menu{files, reads, jobs};
//   ...                                                 // menu is done
//   my_file page("load.html");                          // a text_sink
//   if (auto written = write_report(page, record, files, menu); !written) log(written.error());
//
// The page is one HTML file that needs no network and no other file; docs/guide/page.md shows what
// is on it. `overture load --html` and `overture report` write the same one.
//
// Link overture::report, which is apart from the other modules: find_package(overture COMPONENTS
// report), or pkg-config overture-report. It is compiled with exceptions, and none leaves it.
//
// Names: the thread that waits for the load is "main"; threads whose names begin with "worker" are
// those that the verdict is about, and those that begin with "io" only wait for the disk. Pools and
// queues call theirs so unless they are told otherwise. The load is what lies between the marks
// `load begins` and `load ends` if the timeline has both, and otherwise from the first stage of a
// file to the last.
//
// Cost: some 0.3 us of one thread for each event, and 200 bytes of the standard allocator. About
// 80 KB of the page are the same for all; a file takes about 60 bytes, an event about 8.
#pragma once

#include "overture/base/error.hpp"

namespace overture {

class asset_store;
class file_system;
class load_scope;
class text_sink;
class timeline;

// Of a load that is done. Errors: those of the sink; out_of_memory; threw (the sink). Threads: as
// for reading the timeline, so those that record are idle or detached.
[[nodiscard]] result<void> write_report(text_sink& page, const timeline& record,
                                        const file_system& files, const load_scope& load) noexcept;

// Of all that the timeline has, without a load_scope: what read_file(), decode_file() and an
// asset_store load, and the zones of the host. `files` names the subjects of events that are
// numbers of entries; null: their numbers. Assets have numbers only: see below. What only a
// load_scope knows is not on the page, which says so: failures, warnings, overridden files.
// Otherwise as above.
[[nodiscard]] result<void> write_report(text_sink& page, const timeline& record,
                                        const file_system* files = nullptr) noexcept;

// What an asset_store loaded: how long each asset took from asking to ready and what it waited for,
// calls of pump() that took longer than their budget and which asset made them, why assets failed,
// and what was loaded more than once. A store that still loads has on it what each asset waits for.
//
//   timeline record;
//   thread_pool jobs{{.workers = 3, .record = &record}};
//   read_queue reads{files, {.record = &record}};
//   asset_store store{files, reads, jobs, {.record = &record}};
//   ...
//   my_file page("assets.html");
//   if (auto written = write_report(page, record, store); !written) log(written.error());
//
// The timeline may have a load_scope beside the store, but no second store. It tells the steps of
// the threads that are attached to it. Otherwise as above, and the assets that load must do so on
// threads that are idle now.
[[nodiscard]] result<void> write_report(text_sink& page, const timeline& record,
                                        const asset_store& store) noexcept;

}  // namespace overture
