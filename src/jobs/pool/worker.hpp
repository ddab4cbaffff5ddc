// SPDX-License-Identifier: Zlib
//
// The life of a worker's thread: take a job and run it, or do what idle/idle.cpp says.
#pragma once

#include "jobs/idle/idle.hpp"
#include "jobs/pool/job_runner.hpp"
#include "jobs/queues/submitter_rotation.hpp"

namespace overture::jobs_detail {

class worker {
 public:
  // What its thread runs.
  static void main(void* pool_slot_of_worker) noexcept;

 private:
  worker(pool_state& pool, pool_slot& slot) noexcept;

  // Until the pool stops, or it is a spare worker that is not needed any more.
  void work() noexcept;
  void run(const found_work& found) noexcept;
  // Its next work when it has none left; none if it has to leave.
  [[nodiscard]] found_work search() noexcept;
  // One look at everything that it may take.
  [[nodiscard]] found_work look() noexcept;
  // Between two looks. True if a host thread has submitted.
  [[nodiscard]] bool pause() const noexcept;
  void sleep(std::uint64_t until_ns) noexcept;
  [[nodiscard]] bool must_leave() const noexcept;

  pool_state& pool_;
  pool_slot& slot_;
  idle_state idle_;
  submitter_rotation rotation_;
  ended_jobs ended_;
  std::uint32_t random_;  // picks the first victim of a theft
};

}  // namespace overture::jobs_detail
