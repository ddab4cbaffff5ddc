// Fills a report from the library's answers.
//
//   report what = collect_files(files, scope);        // while the scope lives, when it is done
//   ... the scope, the pool and the read queue end ...
//   collect_threads(what, record, window);            // nobody records any more
//   collect_memory(what, memory);
#pragma once

#include <cstdint>

#include "overture/load/load_scope.hpp"
#include "overture/trace/timeline.hpp"
#include "overture/vfs/file_system.hpp"
#include "report_model.hpp"

namespace overture::cli {

// The first part of the names of worker threads and of threads of the read queue.
inline constexpr const char* worker_name = "worker";
inline constexpr const char* io_name = "io";
inline constexpr const char* main_name = "main";

// When the load took place, on the clock of now_ns().
struct load_window {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t main_cpu_ns = 0;  // what the main thread worked meanwhile; it did more before
};

[[nodiscard]] report collect_files(const file_system& files, const load_scope& scope);
void collect_threads(report& what, const timeline& record, const load_window& window);
void collect_memory(report& what, const tracking_allocator& memory);

}  // namespace overture::cli
