// Overture's job system on threads of its own.
//
//   thread_pool jobs{{.workers = processor_count() - 1}};
//   if (auto ok = jobs.status(); !ok) ...        // fewer workers than asked for, say
//
// Each worker has a queue of its own (last in, first out; others steal from the far end) and parks
// on a word of its own. Submitting wakes at most one parked worker, and none while another already
// looks for work; a worker that finds work wakes the next. So what a submit costs does not depend
// on how many workers sleep. Jobs from threads that are no workers start in the order they came.
//
// Cost: submitting from a worker is two read-modify-writes while nobody sleeps, one of them on the
// group; from another thread three. Running takes three. All memory comes in chunks that are kept
// until the pool ends, so that a warm pool allocates nothing. When memory for a chunk is refused,
// or limits::jobs_queued_max jobs are queued, submit() runs the job before it returns.
//
// Sources of the methods: the work-stealing deque is Chase and Lev's (2005) with the orders of
// Le, Pop, Cohen and Zappa Nardelli (2013); the rule "no wake while somebody searches, who finds
// wakes the next" is the one of Go's and Tokio's schedulers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/allocator.hpp"
#include "overture/error.hpp"
#include "overture/job_system.hpp"
#include "overture/thread.hpp"

namespace overture {

class timeline;
struct pool_state;

struct thread_pool_config {
  unsigned workers = 0;         // threads to start; 0 is allowed: then jobs run in waits
  const char* name = "worker";  // threads are called "worker 1", "worker 2", ...
  thread_priority priority = thread_priority::normal;
  std::uint64_t affinity_mask = 0;    // as in thread_options
  std::size_t stack_bytes = 0;        // as in thread_options
  unsigned spin_ns = 5'000;           // how long a worker looks for work before it parks
  allocator* memory = nullptr;        // null = default_allocator()
  thread_factory* threads = nullptr;  // null = default_thread_factory()
  timeline* record = nullptr;         // workers attach to it; must outlive the pool
};

// Counts since the start, for reports and tests.
struct thread_pool_stats {
  std::uint64_t jobs_run = 0;
  std::uint64_t jobs_stolen = 0;
  std::uint64_t parks = 0;
  std::uint64_t wakes = 0;         // system calls that woke a thread
  std::uint64_t wakes_futile = 0;  // threads that woke and found nothing
  unsigned parked_now = 0;         // workers that sleep at this moment
};

class thread_pool final : public job_system {
 public:
  explicit thread_pool(const thread_pool_config& config = {}) noexcept;
  // Runs what is still queued, then stops and joins the workers. No call to the pool may be under
  // way on any other thread.
  ~thread_pool() override;
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;

  // An error if memory or threads were refused; the pool works all the same, with the workers it
  // has. Any thread.
  [[nodiscard]] result<void> status() const noexcept;
  [[nodiscard]] unsigned workers() const noexcept;
  [[nodiscard]] thread_pool_stats stats() const noexcept;

  void submit(job work, job_group* group) override;
  void wait(job_group& group) override;
  bool wait_until(job_group& group, std::uint64_t deadline_ns) override;
  [[nodiscard]] unsigned concurrency() const noexcept override { return workers() + 1; }
  void set_idle_reason(const char* reason) noexcept override;

 private:
  pool_state* state_ = nullptr;
};

}  // namespace overture
