// One load from its first thread to its last, with a progress bar, as several commands need it.
#pragma once

#include <optional>

#include "outputs.hpp"
#include "overture/overture.hpp"
#include "report_collect.hpp"

namespace overture::cli {

struct load_run {
  unsigned threads = 0;  // 0 = one for each processor
  read_backend backend = read_backend::threads;
  unsigned io_threads = 0;  // as many as the disk takes
  load_options options;
  allocator* memory = nullptr;
  timeline* record = nullptr;  // may be null
  bool progress = false;
  const outputs* shown_on = nullptr;
};

// Loads a frozen tree; an interrupt cancels it. Nothing, having said why, if it could not begin.
// `window`: when.
[[nodiscard]] std::optional<report> run_load(file_system& files, const load_run& how,
                                             load_window& window);

}  // namespace overture::cli
