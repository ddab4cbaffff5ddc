// SPDX-License-Identifier: Zlib
//
// What the priority of a load and that of one of its files come to, for jobs and for reads.
#pragma once

#include "overture/io/read_queue.hpp"
#include "overture/jobs/job.hpp"
#include "overture/load/load_scope.hpp"

namespace overture::load_detail {

// -2 to 2; 0 is the usual.
[[nodiscard]] constexpr int rank_of(load_priority load, load_priority file) noexcept {
  constexpr int normal = static_cast<int>(load_priority::normal);
  return static_cast<int>(load) - normal + static_cast<int>(file) - normal;
}

[[nodiscard]] constexpr job_priority job_priority_of(
    load_priority load, load_priority file = load_priority::normal) noexcept {
  const int rank = rank_of(load, file);
  if (rank == 0) return job_priority::normal;
  return rank < 0 ? job_priority::low : job_priority::high;
}

[[nodiscard]] constexpr read_priority read_priority_of(load_priority load,
                                                       load_priority file) noexcept {
  return static_cast<read_priority>(static_cast<int>(read_priority::normal) + rank_of(load, file));
}

}  // namespace overture::load_detail
