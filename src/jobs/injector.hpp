// A queue that any thread may add to, for jobs of one kind: those from outside, those of one
// priority, those of the main thread.
//
// `arrivals` has the newest job on top, because pushing there is one exchange for any thread; when
// `queue` is empty the arrivals are turned over into it, so that jobs start in the order they came.
#pragma once

#include <cstdint>

#include "jobs/job_slab.hpp"

namespace overture {

struct injector {
  explicit injector(std::uint32_t kind_of_jobs) noexcept : kind(kind_of_jobs) {}

  // What its records are armed with.
  [[nodiscard]] std::uint32_t linked_here() const noexcept { return job_record::linked | kind; }

  const std::uint32_t kind;  // of job_record
  record_stack arrivals;
  record_stack queue;

  [[nodiscard]] bool empty() const noexcept { return arrivals.empty() && queue.empty(); }
};

}  // namespace overture
