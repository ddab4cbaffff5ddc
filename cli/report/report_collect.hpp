// SPDX-License-Identifier: Zlib
//
// Fills a report from the library's results.
//
//   report what = collect_files(files, scope);  // the load is done, the scope still alive
//   ... destroy the scope, the read queue and the pool ...
//   collect_threads(what, record, window);      // no thread records any more
//   collect_memory(what, memory);
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "overture/load/load_scope.hpp"
#include "overture/trace/timeline.hpp"
#include "overture/vfs/file_system.hpp"
#include "report/report_model.hpp"

namespace overture::cli {

// Name prefixes of worker threads and read threads; the name of the main thread.
inline constexpr const char* worker_name = "worker";
inline constexpr const char* io_name = "io";
inline constexpr const char* main_name = "main";

// What marks the ends of the load in a timeline.
inline constexpr const char* load_begins = "load begins";
inline constexpr const char* load_ends = "load ends";

// Why load_options::exclude leaves a file out, in report::skipped.
inline constexpr const char* excluded_reason = "left out by --exclude";

// When the load ran, on the clock of now_ns().
struct load_window {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t main_cpu_ns = 0;  // CPU time of the main thread in the window
};

// `with_rows`: fills report::files too, with a row for each file.
[[nodiscard]] report collect_files(const file_system& files, const load_scope& scope,
                                   bool with_rows = false);
void collect_threads(report& what, const timeline& record, const load_window& window);
// The same from what was kept of a timeline.
struct thread_sums {
  std::string name;
  std::vector<trace_total> totals;
  std::uint64_t cpu_ns = 0;
  std::uint64_t events_lost = 0;
};
void collect_threads(report& what, std::span<const thread_sums> threads, std::uint64_t wall_ns);
// The timeline's memory that was reserved and not written.
[[nodiscard]] std::uint64_t unused_ring_bytes(const timeline& record,
                                              std::uint32_t events_per_thread);
// `reserved_bytes` of the timeline do not count.
void collect_memory(report& what, const tracking_allocator& memory,
                    std::uint64_t reserved_bytes = 0);

}  // namespace overture::cli
