// SPDX-License-Identifier: Zlib
//
// Overture's own job system: worker threads that steal jobs from each other.
//
//   thread_pool jobs = thread_pool::for_this_machine();
//   if (auto ok = jobs.status(); !ok) ...        // for example, fewer workers than requested
//
// Each worker has a queue of its own, takes its newest job first and steals the oldest of others. A
// submit wakes at most one thread: one that waits for the group of the job, or else a sleeping
// worker, and no worker while another is looking for work. (A job that no worker may take now, for
// the main thread or of low priority, wakes all that wait for its group.) A worker that finds work
// while there is more wakes the next. So a submit costs the same however many workers sleep. The
// wake policy (wake_policy.hpp) says what workers without work do. Jobs submitted by a thread that
// is not a worker start in order, by priority; two such threads take turns, each with all that it
// has queued.
//
// Cost: while no worker sleeps, a submit from a worker takes two read-modify-writes, one of them on
// the group, and a submit from another thread three. Running a job takes three. A fork
// (parallel.hpp) that is not stolen takes one in all. Jobs of high or low priority, and jobs for
// the main thread, are in queues that all threads share: adding to one takes its lock, taking from
// it does not. Memory is taken in chunks and kept until the pool ends, so a warm pool allocates
// nothing.
//
// A thread that waits for a group runs its queued jobs. Finding one takes the same time however
// many other jobs are queued, if the group's first job was submitted from outside a job. Within a
// job, the job submitted last is found at once; an older one costs a look at each job that the same
// job has submitted since. Before it sleeps, a waiting thread looks at all queued jobs once: 1 to
// 30 ns each.
//
// Back-pressure: when thread_pool_config::queued_max jobs are queued, or memory for more is
// refused, submit() and execute() run the job before they return. So a thread that queues that many
// must not hold a lock that its jobs take, nor submit a job that another queued job waits for;
// raise the limit for such a program. A low limit makes a flood of tiny jobs faster, because queued
// jobs stay in the caches. Jobs that submit each other this way nest on one stack: from a depth of
// 32 on they are queued in 64 spare records per pool, which submit_main() shares. Only if those run
// out too is the stack the limit.
//
// Without workers (config.workers is 0, or the system refused all threads) jobs run on threads that
// wait: for a job_group, for a future whose work lies on the pool (sync/future.hpp says which do),
// and in try_help(). Nothing runs while a program only polls, or waits for a barricade or a
// countdown that a job is to change: such a wait never ends.
//
// Sources: the deque is Chase and Lev's (2005) with the memory orders of Le, Pop, Cohen and Zappa
// Nardelli (2013). Go and Tokio use the same rule for wakes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/allocator.hpp"
#include "overture/base/api.hpp"
#include "overture/base/error.hpp"
#include "overture/base/limits.hpp"
#include "overture/base/thread.hpp"
#include "overture/jobs/job_system.hpp"
#include "overture/jobs/wake_policy.hpp"
#include "overture/jobs/wake_profile.hpp"

namespace overture {

class timeline;
namespace jobs_detail {
struct pool_state;
}

// Callbacks to the host. Each runs on the thread where the event happens, never under a lock. Null
// ones are skipped. `context` is passed to all of them. An exception from worker_begins,
// worker_ends or wait_refused goes to job_threw, one from job_threw nowhere.
struct job_hooks {
  void (*worker_begins)(void* context, unsigned worker) = nullptr;  // on the worker's thread
  void (*worker_ends)(void* context, unsigned worker) = nullptr;
  // An exception left a job or the body of a parallel call, or a job had no callable. `name` is the
  // job's, `what` describes the error; either may be null.
  void (*job_threw)(void* context, const char* name, const char* what) = nullptr;
  // A job waits for a group that it, or a job below it on the same stack, belongs to. The wait
  // could never end, so it returns at once. A half of a fork counts as part of the job that forked
  // it, whichever thread runs it. The names are those of the two jobs, null if they have none.
  void (*wait_refused)(void* context, const char* waiting, const char* below) = nullptr;
  void* context = nullptr;
};

// What becomes of queued jobs when their pool is destroyed.
enum class at_end : std::uint8_t {
  run,     // they run on the workers, or on the thread that destroys the pool
  cancel,  // they, and jobs that running jobs still submit, are destroyed unrun, except those with
           // job_options::always; groups are counted down either way
};

// Leave these alone: spin and sleep durations tuned for desktop CPUs. Change them only after
// measuring your program. All in nanoseconds.
struct idle_tuning {
  unsigned spin_ns = 2'000;            // a worker out of work looks for this long before it sleeps
  unsigned spin_long_ns = 40'000;      // the same after a sleep shorter than this
  unsigned yield_ns = 5'000;           // a worker that looks for longer yields this often
  unsigned warm_ns = 20'000'000;       // the warm worker looks for this long: over one frame
  unsigned expected_lead_ns = 60'000;  // a worker is awake this long before expected work
  unsigned expected_slack_ns = 500'000;  // and looks for it until this long after it was due
};

struct thread_pool_config {
  unsigned workers = 0;               // threads to start; with 0 jobs run inside waits, see below
  unsigned spare_workers = 0;         // further threads to stand in for those in a blocking_scope
  thread_options worker_thread = {};  // of each worker, whose number is added to the name
  wake_policy wake = wake_policy::park;  // what workers without work do; may be changed later
  unsigned guests = 8;                // queues for host threads that submit or make parallel calls
  std::size_t queued_max = 65'536;    // jobs that may be queued, 128 bytes each, in steps of 512
  at_end queued = at_end::run;        // what becomes of queued jobs when the pool is destroyed
  allocator* memory = nullptr;        // null: default_allocator()
  thread_factory* threads = nullptr;  // null: default_thread_factory()
  timeline* record = nullptr;         // workers record into it; it must outlive the pool
  job_hooks hooks = {};               // callbacks to the host
  idle_tuning tuning = {};            // leave it alone
};

// Counts since the pool was made, for reports and tests.
struct thread_pool_stats {
  std::uint64_t jobs_run = 0;
  std::uint64_t jobs_stolen = 0;   // stolen forks included
  std::uint64_t jobs_dropped = 0;  // cancelled before they began
  std::uint64_t jobs_thrown = 0;   // ended by an exception, bodies of parallel calls included
  std::uint64_t parks = 0;         // times a worker went to sleep
  std::uint64_t wakes = 0;         // system calls that woke a thread
  std::uint64_t wakes_futile = 0;  // threads that woke and found nothing
  std::uint64_t spun_ns = 0;       // time that workers looked for work in vain
  unsigned parked_now = 0;         // workers asleep at this moment
};

class OVERTURE_API thread_pool final : public job_system {
 public:
  // A pool for a program that has the machine to itself: a worker for each processor but the one of
  // this thread, and one at least, so that work goes on while this thread draws. Ignores
  // config.workers.
  [[nodiscard]] static thread_pool for_this_machine(thread_pool_config config = {}) noexcept {
    const unsigned processors = processor_count();
    config.workers = processors > 2 ? processors - 1 : 1;
    return thread_pool(config);
  }
  explicit thread_pool(const thread_pool_config& config = {}) noexcept;
  // Runs or cancels queued jobs as configured, then stops and joins the workers. Jobs may submit
  // until then. A submit on another thread whose jobs have run may be about to return, that of a
  // read which has completed, say; no other call to the pool may be in progress.
  ~thread_pool() override;
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;

  // An error if memory or threads were refused; the pool still works, with the workers it has. Any
  // thread.
  [[nodiscard]] result<void> status() const noexcept;
  // Spare workers not included.
  [[nodiscard]] unsigned workers() const noexcept;
  [[nodiscard]] thread_pool_stats stats() const noexcept;
  // What wakes have cost so far. Any thread.
  [[nodiscard]] wake_profile profile() const noexcept;

  // Changes what workers without work do. Sleeping workers wake if they should not sleep any more.
  // Any thread.
  void set_wake_policy(wake_policy policy) noexcept;
  // The policy in force, zones included. Any thread.
  [[nodiscard]] wake_policy current_wake_policy() const noexcept;

  void submit(job work, job_group* group = nullptr,
              const job_options& options = {}) noexcept override;
  void submit_all(std::span<job> work, job_group* group = nullptr,
                  const job_options& options = {}) noexcept override;
  void wait(job_group& group) noexcept override;
  bool wait_until(job_group& group, std::uint64_t deadline_ns) noexcept override;
  bool try_help() noexcept override;
  // Whether it has no workers.
  [[nodiscard]] bool runs_in_waits() const noexcept override { return workers() == 0; }
  bool help_until(function_ref<bool() noexcept> done, std::uint64_t deadline_ns) noexcept override;
  void fork(fork_half& half) noexcept override;
  void join(fork_half& half) noexcept override;
  void body_threw(const char* what) noexcept override;
  [[nodiscard]] unsigned concurrency() const noexcept override { return workers() + 1; }
  void set_idle_reason(const char* reason) noexcept override;
  // The next worker that goes to sleep wakes by itself shortly before `at_ns` and looks for work
  // until half a millisecond after it, so that the submit makes no system call and the job starts
  // at once. If all workers already sleep, none is woken. Only the latest call counts; 0 cancels
  // it. To find a worker awake in each frame, name the start of the next frame before you submit
  // the jobs of this one. Any thread.
  void expect_work(std::uint64_t at_ns) noexcept override;

  // Queues a job for the thread that made the pool. It runs there in pump(), or in a wait for
  // `group`, but not in a wait for another group, so that group must not depend on this job. 64
  // such jobs fit beyond queued_max; after that, or without memory, the job runs at once on the
  // calling thread. Jobs left when the pool ends run on the thread that destroys it. Any thread.
  void submit_main(job work, job_group* group = nullptr, const job_options& options = {}) noexcept;
  // Runs jobs of submit_main() until none is left or `budget_ns` has passed, at least one if there
  // is one; a job that has begun is finished. Returns how many ran. Only the thread that made the
  // pool.
  std::size_t pump(std::uint64_t budget_ns) noexcept;

 private:
  friend class wake_zone;
  friend class cork;

  jobs_detail::pool_state* state_ = nullptr;
};

}  // namespace overture
