// SPDX-License-Identifier: Zlib
//
// A thread inside wait(): it helps with jobs of its group and what those fork, and sleeps while
// there are none.
#pragma once

#include <optional>

#include "jobs/pool/pool_state.hpp"

namespace overture::jobs_detail {

class waiter {
 public:
  waiter(const waiter&) = delete;
  waiter& operator=(const waiter&) = delete;

  // True once the group has ended, false once `deadline_ns` has passed (0 = never) or if the wait
  // was refused.
  static bool wait(pool_state& pool, job_group& group, std::uint64_t deadline_ns) noexcept;

 private:
  waiter(pool_state& pool, job_group& group, std::uint64_t deadline_ns) noexcept;
  ~waiter();

  // Counts down the jobs that this thread has run if those are all that are pending.
  [[nodiscard]] bool has_ended() noexcept;
  // Runs one job of the group, or a fork of one. False if it has found none.
  [[nodiscard]] bool help() noexcept;
  // Until there may be a job of the group, or none is pending any more, or time is up.
  void idle() noexcept;
  // Returns what it found just before it would have slept.
  [[nodiscard]] found_work sleep(std::optional<idle_wait>& waits) noexcept;
  [[nodiscard]] found_work sleep_in_crowd() noexcept;
  [[nodiscard]] found_work find(std::uint64_t most = job_queues::everything) noexcept;
  void run(const found_work& found) noexcept;
  // A submit wakes one thread at most, so the one that it has woken wakes others for further jobs.
  void wake_others() noexcept;
  // The job that this thread was woken for needs another thread.
  void pass_wake_on() noexcept;

  pool_state& pool_;
  pool_slot* slot_;
  const bool is_borrowed_;
  job_group& group_;
  const std::uint64_t deadline_ns_;
  group_search wanted_;
  bool was_woken_ = false;
  ended_jobs ended_;
};

}  // namespace overture::jobs_detail
