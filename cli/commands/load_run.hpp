// SPDX-License-Identifier: Zlib
//
// Runs one load with its own threads and a progress bar. Shared by several commands.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "overture/overture.hpp"
#include "report/model/collect.hpp"
#include "report/report_model.hpp"
#include "terminal/outputs.hpp"

namespace overture::cli {

struct load_run {
  unsigned threads = 0;  // 0: one per processor
  read_backend backend = read_backend::threads;
  unsigned io_threads = 0;  // 0: chosen by the read queue
  load_options options;
  allocator* memory = nullptr;
  timeline* record = nullptr;   // may be null
  load_record* note = nullptr;  // collects what was loaded; may be null
  bool with_rows = false;       // for a page: report::files
  bool progress = false;
  const outputs* out = nullptr;
};

// Whether that is why it failed, and the same reason with the time and what to do.
[[nodiscard]] bool took_too_long(const report_failure& failure);
void name_time_max(report_failure& failure, std::chrono::nanoseconds time_max);

// Loads a frozen tree; an interrupt cancels it. Prints why and returns nothing if it cannot start.
// Sets `window` to when the load ran.
[[nodiscard]] std::optional<report> run_load(file_system& files, const load_run& how,
                                             load_window& window);

}  // namespace overture::cli
