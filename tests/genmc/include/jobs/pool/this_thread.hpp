// SPDX-License-Identifier: Zlib
//
// Replaces src/jobs/sleep/this_thread.hpp: GenMC knows no thread-local objects, only numbers.
#pragma once

#include "genmc/model.hpp"

namespace overture::jobs_detail {

struct pool_slot;
struct running_job;

struct jobs_of_thread {
  pool_slot* slot = nullptr;
  running_job* innermost = nullptr;
  unsigned wake_depth = 0;
};

inline jobs_of_thread of_threads[genmc::threads_max];

inline jobs_of_thread& this_thread_jobs() noexcept {
  return of_threads[genmc::self];
}

}  // namespace overture::jobs_detail
