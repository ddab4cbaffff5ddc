// SPDX-License-Identifier: Zlib
#include "overture/jobs/job_batch.hpp"

#include <span>
#include <utility>

namespace overture {

void job_batch::submit() noexcept {
  const std::span<job> gathered(jobs_, std::exchange(count_, 0));
  system_.submit_all(gathered, group_, options_);
  for (job& each : gathered) each.~job();
}

}  // namespace overture
