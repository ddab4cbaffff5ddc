// Jobs: small pieces of work for many cores.
//
//   thread_pool jobs{{.workers = 7}};
//   job_group group{jobs};
//   for (auto& chunk : chunks) group.run([&chunk] { build(chunk); });
//   group.wait();                                  // helps with this group's jobs meanwhile
//
//   parallel_for(jobs, 0, n, [&](std::size_t i) { ... });        // overture/parallel.hpp
//
// Submitting allocates nothing and takes no lock. A thread that waits for a group runs jobs of that
// group only, and the forks (parallel_for and its relatives) of jobs of that group, so it can never
// bury the job it waits for under another one. Whoever does want to lend a hand to anything calls
// try_help().
//
// A host may bring a system of its own: it derives from job_system; the parallel algorithms, the
// read queue and the loader take any. Jobs of the main thread and corks are thread_pool's alone:
// the library needs neither, and such a host has its own ways for both (job_batch works with any).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "overture/atomic.hpp"
#include "overture/executor.hpp"
#include "overture/job.hpp"

namespace overture {

class job_group;

// One half of a fork, on the stack of the thread that forks. For the parallel algorithms, and for
// job systems; use parallel_invoke().
struct fork_half {
  enum : std::uint32_t { open, done };

  void (*run)(fork_half& self) = nullptr;
  atomic<std::uint32_t> state{open};
  atomic<void*> thief{nullptr};  // of the system: who runs it, unless who forked it does
  void* slot = nullptr;          // of the system: where it was forked; null if it was not
  void* below = nullptr;         // of the system: the job that forked it
  bool slot_borrowed = false;
};

// What runs jobs. thread_pool is Overture's own, single_threaded one for tests and replays.
class job_system : public executor {
 public:
  // Runs `work` later, as part of `group` if one is given. Never fails: when the system is out of
  // room it runs the job at once on the calling thread. Any thread.
  virtual void submit(job work, job_group* group = nullptr, const job_options& options = {}) = 0;
  // Several at once, which wake no more than one thread; the jobs are moved from. Any thread.
  virtual void submit_all(std::span<job> work, job_group* group = nullptr,
                          const job_options& options = {}) {
    for (job& each : work) submit(std::move(each), group, options);
  }
  // Returns when every job of the group has ended; runs jobs of that group meanwhile. Any thread.
  virtual void wait(job_group& group) = 0;
  // As wait(), but returns false once `deadline_ns` (on the clock of now_ns(); 0 = never) has
  // passed. Runs one job of the group if there is one, however little time is left; a job that runs
  // is finished first. Any thread.
  virtual bool wait_until(job_group& group, std::uint64_t deadline_ns) = 0;
  // Runs one queued job, whatever its group; false if there is none. For threads that poll for
  // something else and know that nothing they hold up is waited for by a job. Any thread.
  virtual bool try_help() { return false; }

  // Lets another thread run the half until join(), which returns when it has run. Joins come in the
  // reverse order of forks, on the same thread. A system without them runs it in join().
  virtual void fork(fork_half& half) noexcept { half.slot = nullptr; }
  virtual void join(fork_half& half) noexcept { half.run(half); }

  // How many threads can run jobs at once when one thread of the host waits. Any thread.
  [[nodiscard]] virtual unsigned concurrency() const noexcept = 0;
  // What threads that find no job report as the reason for their wait; a literal, null for
  // wait_reasons::no_job. Whoever feeds the system knows best why it runs dry. Any thread.
  virtual void set_idle_reason(const char* reason) noexcept = 0;
  // Work is likely to come at that time (a read in flight is expected to complete, say): a hint.
  // Any thread.
  virtual void expect_work(std::uint64_t at_ns) noexcept { (void)at_ns; }

  // An exception has left a body of a parallel call on a thread that runs no job of any system. For
  // the parallel algorithms. `what` may be null. Any thread.
  virtual void body_threw(const char* what) noexcept { (void)what; }

  // Never lost, whatever the system does with jobs when it ends. Like submit() it runs the work at
  // once when the system is out of room.
  void execute(task work) override {
    submit([work] { work.run(work.context); }, nullptr, {.always = true});
  }
};

// Jobs that are waited for together. May be used again after wait(). Must outlive its jobs, and
// must not be destroyed before wait() has returned; after that at once.
class job_group final : public executor {
 public:
  explicit job_group(job_system& system) noexcept : system_(system) {}
  ~job_group() override { wait(); }
  job_group(const job_group&) = delete;
  job_group& operator=(const job_group&) = delete;

  // Submits a job, or the callable of one, as part of this group. Any thread; from a thread that is
  // not a job of this group only while the group cannot end.
  template <class F>
    requires std::constructible_from<job, F>
  void run(F&& work, const job_options& options = {}) {
    system_.submit(job(std::forward<F>(work)), this, options);
  }
  void execute(task work) override {
    run([work] { work.run(work.context); });
  }
  // Any thread.
  void wait() { system_.wait(*this); }
  [[nodiscard]] bool wait_until(std::uint64_t deadline_ns) {
    return system_.wait_until(*this, deadline_ns);
  }
  // Jobs not yet ended. Any thread.
  [[nodiscard]] std::uint32_t pending() const noexcept {
    return pending_.load(std::memory_order_seq_cst);
  }
  // Jobs of the group that have not begun, and those submitted later, are dropped when their turn
  // comes, until revive(): what they captured is destroyed, and the group comes to its end. Any
  // thread.
  void cancel() noexcept { stop_.cancel(); }
  [[nodiscard]] bool is_cancelled() const noexcept { return stop_.is_cancelled(); }
  // When no job is pending.
  void revive() noexcept { stop_.reset(); }

  // For job systems: counts jobs that are about to be queued, and jobs that have ended. end_job()
  // returns true for the last; the group may be gone from then on.
  void begin_job(std::uint32_t count = 1) noexcept {
    pending_.fetch_add(count, std::memory_order_relaxed);
  }
  [[nodiscard]] bool end_job(std::uint32_t count = 1) noexcept {
    return pending_.fetch_sub(count, std::memory_order_seq_cst) == count;
  }

 private:
  job_system& system_;
  cancellation stop_;
  // Not on the line of the others, nor of what lies behind the group (the next group, say): each
  // submit writes it, and each job reads those. Room and no alignment, because a coroutine's frame
  // may hold a group, and is aligned to 16 bytes only.
  [[maybe_unused]] std::byte between_[64];
  atomic<std::uint32_t> pending_{0};
  [[maybe_unused]] std::byte behind_[60];
};

}  // namespace overture
