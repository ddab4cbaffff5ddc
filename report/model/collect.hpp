// SPDX-License-Identifier: Zlib
//
// Fills a report from the library's results.
//
//   load_report what;
//   collect_files(what, files, scope);          // the load is done, the scope still alive
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
#include "report/model/report_model.hpp"

namespace overture::report_detail {

// Name prefixes of worker threads and read threads; the name of the main thread.
inline constexpr const char* worker_name = "worker";
inline constexpr const char* io_name = "io";
inline constexpr const char* main_name = "main";

// What marks the ends of the load in a timeline.
inline constexpr const char* load_begins = "load begins";
inline constexpr const char* load_ends = "load ends";

// When the load ran, on the clock of now_ns().
struct load_window {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t main_cpu_ns = 0;  // CPU time of the main thread in the window
};

// An error in words, without the file's name: "cannot read (Input/output error), at byte 7".
[[nodiscard]] std::string plain_reason(const error& failure);

// In the order of the mounts.
[[nodiscard]] std::vector<report_skipped> skipped_names(const file_system& files);

struct collect_options {
  bool with_rows = false;  // fills load_report::files too, with a row for each file
  std::string (*reason)(const error& failure) = plain_reason;
  // Why load_options::exclude leaves a file out, in load_report::skipped.
  const char* excluded = "left out";
};
void collect_files(load_report& what, const file_system& files, const load_scope& scope,
                   const collect_options& options = {});
void collect_threads(load_report& what, const timeline& record, const load_window& window);
// The same from what was kept of a timeline.
struct thread_sums {
  std::string name;
  std::vector<trace_total> totals;
  std::uint64_t cpu_ns = 0;
  std::uint64_t events_lost = 0;
};
void collect_threads(load_report& what, std::span<const thread_sums> threads,
                     std::uint64_t wall_ns);
// The timeline's memory that was reserved and not written.
[[nodiscard]] std::uint64_t unused_ring_bytes(const timeline& record,
                                              std::uint32_t events_per_thread);
// `reserved_bytes` of the timeline do not count.
void collect_memory(load_report& what, const tracking_allocator& memory,
                    std::uint64_t reserved_bytes = 0);

}  // namespace overture::report_detail
