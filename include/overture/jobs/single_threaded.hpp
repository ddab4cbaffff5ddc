// SPDX-License-Identifier: Zlib
//
// A job system without threads: for tests, for replaying a failure, for machines with one core.
//
//   single_threaded jobs{{.seed = 42}};
//   job_group group{jobs};
//   group.run([&] { ... });
//   group.wait();                        // runs them here, in an order that depends on the seed
//
// Jobs run only on the thread that made the system: while it waits for a group (jobs of that group
// only, as in a thread_pool), in try_help(), pump() and run_all(). The same seed and the same calls
// give the same order of jobs and of the halves of forks on every machine; another seed gives
// another legal order. So a program that depends on the order fails for some seed, and fails again
// with that seed. Seed 0 runs jobs in the order of submission and forks where they are joined.
//
// Other threads (of a read queue, say) may submit and may wait for a group; they sleep until the
// system's thread has run it. Their timing then decides the order. A thread that waits while no job
// of its group can run sleeps until something is submitted.
//
// Cost: a submit is a lock and a copy of the job; finding a job of a group looks at the jobs before
// it. Memory grows with the number of queued jobs and is kept. If it is refused, submit() runs the
// job before it returns, on whatever thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/allocator.hpp"
#include "overture/base/api.hpp"
#include "overture/jobs/job_system.hpp"
#include "overture/jobs/thread_pool.hpp"

namespace overture {

struct single_threaded_config {
  std::uint64_t seed = 0;       // 0 = the order of submission
  at_end queued = at_end::run;  // what becomes of queued jobs when the system is destroyed
  allocator* memory = nullptr;  // null: default_allocator()
  job_hooks hooks = {};         // only job_threw and wait_refused are called
};

class OVERTURE_API single_threaded final : public job_system {
 public:
  explicit single_threaded(const single_threaded_config& config = {}) noexcept;
  // Runs or drops queued jobs as configured. Only the thread that made it.
  ~single_threaded() override;
  single_threaded(const single_threaded&) = delete;
  single_threaded& operator=(const single_threaded&) = delete;

  void submit(job work, job_group* group = nullptr,
              const job_options& options = {}) noexcept override;
  void wait(job_group& group) noexcept override;
  bool wait_until(job_group& group, std::uint64_t deadline_ns) noexcept override;
  // Always false on other threads than its own.
  bool try_help() noexcept override;
  [[nodiscard]] bool runs_in_waits() const noexcept override { return true; }
  // Only on its own thread.
  bool help_until(function_ref<bool() noexcept> done, std::uint64_t deadline_ns) noexcept override;
  // Either half may run first.
  void fork(fork_half& half) noexcept override;
  void join(fork_half& half) noexcept override;
  void body_threw(const char* what) noexcept override;
  [[nodiscard]] unsigned concurrency() const noexcept override { return 1; }
  void set_idle_reason(const char* reason) noexcept override;

  // Runs jobs until none is left or `budget_ns` has passed, at least one if there is one. Returns
  // how many ran. Only its own thread.
  std::size_t pump(std::uint64_t budget_ns) noexcept;
  // Runs jobs until none is left, including those that they submit. Only its own thread.
  void run_all() noexcept;
  // The number of jobs that have begun. Any thread.
  [[nodiscard]] std::uint64_t jobs_run() const noexcept;

 private:
  struct state;
  state* state_ = nullptr;
};

}  // namespace overture
