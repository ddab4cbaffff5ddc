// What a thread knows of the jobs that it runs, fibre by fibre; stands in for
// src/jobs/this_thread.hpp.
#pragma once

#include "interleave/explorer.hpp"

namespace overture {

struct pool_place;
struct running_job;

struct jobs_of_thread {
  pool_place* place = nullptr;
  running_job* innermost = nullptr;
  void* cork = nullptr;
  unsigned jobs_in_submit = 0;
  unsigned wake_depth = 0;
};

inline jobs_of_thread of_fibres[8];

inline jobs_of_thread& this_thread_jobs() noexcept {
  return of_fibres[interleave::this_thread()];
}

}  // namespace overture
