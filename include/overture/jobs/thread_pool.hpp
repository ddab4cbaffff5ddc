// Overture's job system on threads of its own.
//
//   thread_pool jobs{{.workers = processor_count() - 1}};
//   if (auto ok = jobs.status(); !ok) ...        // fewer workers than asked for, say
//
// Each worker has a queue (last in, first out; others steal from the far end) and a word to park
// on. Submitting wakes at most one parked worker, none while another looks for work; who finds work
// wakes the next. So a submit costs the same however many sleep. What workers do that have none is
// the wake policy (wake_policy.hpp). Jobs of a thread that is no worker start in the order they
// came, by priority; of two such threads, in turns: first what the one has queued, then the other.
//
// Cost: submitting from a worker is two read-modify-writes while nobody sleeps, one of them on the
// group; from another thread three. Running takes three. A fork (parallel.hpp) that nobody steals
// takes one in all. All memory comes in chunks that are kept until the pool ends, so that a warm
// pool allocates nothing.
//
// Back-pressure: when memory for a chunk is refused, or thread_pool_config::queued_max jobs are
// queued, submit() runs the job before it returns, and so does execute(). So a thread that queues
// more than that must not hold a lock that its jobs take, nor submit a job behind one that waits
// for it: raise the limit for such a program. A flood of tiny jobs is faster with a low one,
// because what is queued then stays in the caches. In a chain of jobs that submit each other so,
// each lies on the stack above the one before: with 32 there, the next is queued all the same, 64
// of them at once in a pool, jobs for the main thread among them. (Where memory is refused for
// those too, the stack is the limit.)
//
// Sources of the methods: the work-stealing deque is Chase and Lev's (2005) with the orders of
// Le, Pop, Cohen and Zappa Nardelli (2013); the rule "no wake while somebody searches, who finds
// wakes the next" is the one of Go's and Tokio's schedulers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/allocator.hpp"
#include "overture/base/error.hpp"
#include "overture/base/limits.hpp"
#include "overture/base/thread.hpp"
#include "overture/jobs/job_system.hpp"
#include "overture/jobs/wake_policy.hpp"
#include "overture/jobs/wake_profile.hpp"

namespace overture {

class timeline;
struct pool_state;

// What the host is told. Each is called on the thread that it happens on, never under a lock; null
// = not told. `context` is handed to all of them.
struct job_hooks {
  void (*worker_begins)(void* context, unsigned worker) = nullptr;  // on each worker's thread
  void (*worker_ends)(void* context, unsigned worker) = nullptr;
  // An exception has left a job or a body, or a job had no callable; `name` is the job's, `what`
  // says what went wrong. Either may be null.
  void (*job_threw)(void* context, const char* name, const char* what) = nullptr;
  // A job waits for a group that it belongs to, or a job below it on the same stack: that wait
  // could never end. It returns at once instead. A half of a fork counts as part of the job that
  // forked it, whoever runs it. The names are those of the two jobs, null without one.
  void (*wait_refused)(void* context, const char* waiting, const char* below) = nullptr;
  void* context = nullptr;
};

// What happens to jobs that are queued when a pool ends.
enum class at_end : std::uint8_t {
  run,     // they run on the thread that ends the pool
  cancel,  // they, and those that running jobs submit by then, are destroyed without having run,
           // but for those with job_options::always; their groups are counted down
};

struct thread_pool_config {
  unsigned workers = 0;        // threads to start; 0 is allowed: then jobs run in waits
  unsigned spare_workers = 0;  // further threads, for workers inside a blocking_scope
  // Threads are called "worker 1", "worker 2", ...; null = "worker". A long name is cut so that the
  // 15 characters that Linux shows end with the number.
  const char* name = "worker";
  thread_priority priority = thread_priority::normal;
  std::uint64_t affinity_mask = 0;  // as in thread_options
  std::size_t stack_bytes = 0;      // as in thread_options
  // As in thread_options, for all workers. One that the system wakes on the processor of the thread
  // that submits does not interrupt that thread in the middle of the call, then. The price: if that
  // thread goes on without a wait, the worker may start a time slice later (some 3 ms).
  bool gives_way = false;
  // The thread that made the pool, a main thread probably, goes on while its jobs start. It wakes
  // the first worker, which keeps off the processor where that thread has woken somebody last: it
  // is taken from those that the worker may run on, if there are others. The further workers, which
  // wake each other, give way. The price: behind a long pause a job starts when another processor
  // has been woken, 20 to 80 us in a virtual machine, and not in the main thread's place. (Linux;
  // elsewhere no effect.)
  bool keeps_apart = true;
  // A worker that is interrupted again and again while it runs jobs shares its processor with
  // another thread, a main thread that polls say, and moves to another one; once in a millisecond
  // at most, and more and more rarely where that does not help. It may go to any of the processors
  // that it may run on. Only where there are more processors than workers (Linux; elsewhere no
  // effect).
  bool leaves_crowds = true;
  wake_policy wake = wake_policy::park;  // may be changed later
  unsigned spin_ns = 2'000;              // how long a worker looks for work before it parks
  // The same while jobs come at shorter distances than this: about what a sleep and a wake cost.
  unsigned spin_long_ns = 40'000;
  // A worker to which jobs come in a steady rhythm of up to half a millisecond sleeps until shortly
  // before the next one is due, and then looks for it: no submit has to wake it, and the job starts
  // without the time that a wake takes. One worker at a time does; each job costs some 30 us of it.
  bool follows_rhythm = true;
  unsigned warm_ns = 20'000'000;  // how long the warm worker looks: a frame and a bit
  unsigned guests = 8;            // places for threads of the host: submits and parallel calls
  at_end queued = at_end::run;    // what the destructor does with jobs that are left
  // About so many jobs may be queued, 128 bytes each; in steps of 512, and
  // limits::jobs_queued_max at most.
  std::size_t queued_max = 65'536;
  allocator* memory = nullptr;        // null = default_allocator()
  thread_factory* threads = nullptr;  // null = default_thread_factory()
  timeline* record = nullptr;         // workers attach to it; must outlive the pool
  job_hooks hooks = {};
};

// Counts since the start, for reports and tests.
struct thread_pool_stats {
  std::uint64_t jobs_run = 0;
  std::uint64_t jobs_stolen = 0;   // forks that another thread took among them
  std::uint64_t jobs_dropped = 0;  // cancelled before they began
  std::uint64_t jobs_thrown = 0;   // ended by an exception, bodies of parallel calls among them
  std::uint64_t parks = 0;
  std::uint64_t wakes = 0;         // system calls that woke a thread
  std::uint64_t wakes_futile = 0;  // threads that woke and found nothing
  std::uint64_t spun_ns = 0;       // time that workers have looked for work in vain
  unsigned parked_now = 0;         // workers that sleep at this moment
};

class thread_pool final : public job_system {
 public:
  explicit thread_pool(const thread_pool_config& config = {}) noexcept;
  // Runs or cancels what is still queued, as configured, then stops and joins the workers. Jobs may
  // submit until the end; no other call to the pool may be under way.
  ~thread_pool() override;
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;

  // An error if memory or threads were refused; the pool works all the same, with the workers it
  // has. Any thread.
  [[nodiscard]] result<void> status() const noexcept;
  // Without the spare ones.
  [[nodiscard]] unsigned workers() const noexcept;
  [[nodiscard]] thread_pool_stats stats() const noexcept;
  // What waking has cost since the start. Any thread.
  [[nodiscard]] wake_profile profile() const noexcept;

  // What workers without work do from now on; sleeping ones wake if they should not sleep. Any
  // thread.
  void set_wake_policy(wake_policy policy) noexcept;
  // The one that holds now, zones included. Any thread.
  [[nodiscard]] wake_policy current_wake_policy() const noexcept;

  void submit(job work, job_group* group = nullptr, const job_options& options = {}) override;
  void submit_all(std::span<job> work, job_group* group = nullptr,
                  const job_options& options = {}) override;
  void wait(job_group& group) override;
  bool wait_until(job_group& group, std::uint64_t deadline_ns) override;
  bool try_help() override;
  void fork(fork_half& half) noexcept override;
  void join(fork_half& half) noexcept override;
  void body_threw(const char* what) noexcept override;
  [[nodiscard]] unsigned concurrency() const noexcept override { return workers() + 1; }
  void set_idle_reason(const char* reason) noexcept override;
  // A worker that goes to sleep before that time sleeps no longer than until shortly before it, and
  // then looks for work until half a millisecond behind it; one worker does, the others sleep. A
  // pool knows one such time, the last it was told. To find a worker awake in each frame, tell it
  // the begin of the next one before you submit the jobs of this one: the worker that is awake for
  // this one stays so.
  void expect_work(std::uint64_t at_ns) noexcept override;

  // Queues a job for the thread that made the pool, which runs it in pump() and in a wait for
  // `group`, but not in one for another group, even if that one's jobs wait for this one. Beyond
  // queued_max there is room for 64; where those are in use too, or memory is refused, it runs at
  // once on the calling thread. What is left when the pool ends runs on the thread that ends it.
  // Any thread.
  void submit_main(job work, job_group* group = nullptr, const job_options& options = {});
  // Runs jobs of submit_main() until none is left or `budget_ns` has passed, at least one if there
  // is one; a job that has begun is finished. How many have run. The thread that made the pool.
  std::size_t pump(std::uint64_t budget_ns);

 private:
  friend class wake_zone;
  friend class cork;

  pool_state* state_ = nullptr;
};

}  // namespace overture
