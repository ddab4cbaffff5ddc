// SPDX-License-Identifier: Zlib
//
// The inside of a thread_pool: what its parts are and in which order they are made.
//
//   add     job_intake     a record from the slab into a deque or a shared queue; wakes a thread
//   take    job_queues     by a worker (worker), by a thread that waits for a group (waiter)
//   run     job_runner     call, destroy, give the record back, count the group down
//   fork    forks          the caller's stack, the slot's deque, back or to a thief
//   sleep   parking        idle/idle.cpp decides when, and whether the next is woken
#pragma once

#include "jobs/idle/idle.hpp"
#include "jobs/pool/job_runner.hpp"
#include "jobs/pool/spare_workers.hpp"
#include "jobs/sleep/idle_wait.hpp"
#include "overture/jobs/thread_pool.hpp"

namespace overture::jobs_detail {

struct pool_state {
  pool_state(const thread_pool_config& wanted, allocator& from) noexcept;
  pool_state(const pool_state&) = delete;
  pool_state& operator=(const pool_state&) = delete;

  void start_workers() noexcept;
  // Returns when they have ended; runs or drops what is left.
  void stop() noexcept;
  // Queues the jobs, or runs those at once that there is no room for. `inside_submit`: the caller
  // is the very submit() that they were given to.
  void submit(std::span<job> work, job_group* group, const job_options& options,
              bool inside_submit) noexcept;
  [[nodiscard]] bool is_main_thread() const noexcept { return main_thread == &this_thread_jobs(); }

  allocator& memory;
  const thread_pool_config config;
  result<void> status;
  job_slab slab;
  pool_slots slots;
  parking sleepers;
  job_queues queues;
  job_intake intake;
  job_runner runner;
  idle_shared idle;
  spare_workers spares;
  unsigned workers_started = 0;  // spare ones included
  reason_clock idle_reasons;
  atomic<std::uint64_t> futile_wakes_of_waiters{0};
  const jobs_of_thread* const main_thread;
};

}  // namespace overture::jobs_detail
