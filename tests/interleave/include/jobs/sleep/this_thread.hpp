// SPDX-License-Identifier: Zlib
//
// Replaces src/jobs/sleep/this_thread.hpp: what a thread knows about its jobs, for each fibre.
#pragma once

#include "interleave/explorer.hpp"

namespace overture::jobs_detail {

struct pool_slot;
struct running_job;

struct jobs_of_thread {
  pool_slot* slot = nullptr;
  running_job* innermost = nullptr;
  void* cork = nullptr;
  unsigned jobs_in_submit = 0;
  unsigned wake_depth = 0;
};

inline jobs_of_thread of_fibres[8];

inline jobs_of_thread& this_thread_jobs() noexcept {
  return of_fibres[interleave::this_thread()];
}

}  // namespace overture::jobs_detail
