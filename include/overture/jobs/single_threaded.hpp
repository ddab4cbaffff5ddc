// A job system without threads: for tests, for replaying a failure, for machines with one core.
//
//   single_threaded jobs{{.seed = 42}};
//   job_group group{jobs};
//   group.run([&] { ... });
//   group.wait();                        // runs them here, in an order that follows from the seed
//
// Jobs run on the thread that made the system and nowhere else: while it waits for a group (jobs of
// that group only, as in a thread_pool), in try_help(), pump() and run_all(). The same seed and the
// same calls give the same order of jobs, and of the halves of forks, on every machine; another
// seed gives another legal order. So a program that depends on the order fails for some seed, and
// fails again with it. Seed 0 runs jobs in the order they were submitted and forks where they are
// joined.
//
// Other threads (those of a read queue, say) may submit, which makes the order depend on when they
// do, and may wait for a group; they sleep until the system's thread has run it. A thread that
// waits while nothing of its group can run sleeps until something is submitted.
//
// Cost: submit is a lock and a copy of the job; finding a job of a group looks at the jobs in front
// of it. Memory grows with the jobs queued and is kept. When it is refused, submit() runs the job
// before it returns, on whatever thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/allocator.hpp"
#include "overture/jobs/job_system.hpp"
#include "overture/jobs/thread_pool.hpp"

namespace overture {

struct single_threaded_config {
  std::uint64_t seed = 0;       // 0 = the order of submission
  at_end queued = at_end::run;  // what the destructor does with jobs that are left
  allocator* memory = nullptr;  // null = default_allocator()
  job_hooks hooks = {};         // of them job_threw and wait_refused
};

class single_threaded final : public job_system {
 public:
  explicit single_threaded(const single_threaded_config& config = {}) noexcept;
  // Runs or drops what is still queued, as configured. The thread that made it.
  ~single_threaded() override;
  single_threaded(const single_threaded&) = delete;
  single_threaded& operator=(const single_threaded&) = delete;

  void submit(job work, job_group* group = nullptr, const job_options& options = {}) override;
  void wait(job_group& group) override;
  bool wait_until(job_group& group, std::uint64_t deadline_ns) override;
  // False on other threads than its own too.
  bool try_help() override;
  // Either half may run first.
  void fork(fork_half& half) noexcept override;
  void join(fork_half& half) noexcept override;
  void body_threw(const char* what) noexcept override;
  [[nodiscard]] unsigned concurrency() const noexcept override { return 1; }
  void set_idle_reason(const char* reason) noexcept override;

  // Runs jobs until none is left or `budget_ns` has passed, at least one if there is one. How many
  // have run. Its own thread.
  std::size_t pump(std::uint64_t budget_ns);
  // Runs jobs until none is left, those that they submit too. Its own thread.
  void run_all();
  // Jobs that have begun since the start. Any thread.
  [[nodiscard]] std::uint64_t jobs_run() const noexcept;

 private:
  struct state;
  state* state_ = nullptr;
};

}  // namespace overture
