// SPDX-License-Identifier: Zlib
//
// Jobs: small pieces of work for many cores.
//
//   thread_pool jobs{{.workers = 7}};
//   job_group group{jobs};
//   for (auto& chunk : chunks) group.run([&chunk] { build(chunk); });
//   group.wait();                                  // helps with this group's jobs
//
//   parallel_for(jobs, 0, n, [&](std::size_t i) { ... });        // overture/jobs/parallel.hpp
//
// Submitting allocates nothing. A thread that waits for a group runs jobs of that group and what
// they fork (parallel_for and its relatives), and nothing else, so it never buries the job it waits
// for under another one. A thread that may run any job calls try_help().
//
// A host can supply its own system by deriving from job_system; the parallel algorithms, the read
// queue and the loader accept it. Main-thread jobs and corks are features of thread_pool only; the
// library needs neither.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "overture/base/api.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/contracts.hpp"
#include "overture/base/executor.hpp"
#include "overture/base/version.hpp"
#include "overture/jobs/job.hpp"

namespace overture {

class job_group;
class job_system;

namespace detail {
// Submits the task as a job, which catches what it throws. Without a group it runs even if the
// system ends first and cancels its jobs.
OVERTURE_API void execute_as_job(job_system& system, job_group* group, task work) noexcept;
}  // namespace detail

// One half of a fork, on the stack of the forking thread. For the parallel algorithms and for job
// systems; programs use parallel_invoke().
struct fork_half {
  enum : std::uint32_t { open, done };

  void (*run)(fork_half& self) noexcept = nullptr;
  atomic<std::uint32_t> state{open};
  // The rest is the job system's.
  atomic<void*> thief{nullptr};  // the slot of another thread that runs it
  void* slot = nullptr;          // where it was forked; null if it was not
  void* below = nullptr;         // the job that forked it
  bool slot_borrowed = false;
};

// Runs jobs. thread_pool is Overture's own; single_threaded is for tests and replays.
class job_system : public executor {
 public:
  // False if it was made by a copy of Overture of another version, in a plug-in for example.
  // Functions that return a result refuse such a system as unsupported; do not pass it to others.
  // Any thread.
  template <std::uint32_t Version = version_number>
  [[nodiscard]] bool is_of_this_version() const noexcept {
    return version_ == Version;
  }

  // Runs `work` later, as part of `group` if there is one. Never fails: a system without room runs
  // the job at once on the calling thread. Any thread.
  virtual void submit(job work, job_group* group = nullptr,
                      const job_options& options = {}) noexcept = 0;
  // As submit(), for several jobs, which are moved from. thread_pool wakes at most one thread for
  // each 64 jobs; the default submits them one by one. Any thread.
  virtual void submit_all(std::span<job> work, job_group* group = nullptr,
                          const job_options& options = {}) noexcept {
    for (job& each : work) submit(std::move(each), group, options);
  }
  // Runs jobs of the group until all of them have ended. Any thread.
  virtual void wait(job_group& group) noexcept = 0;
  // As wait(), but returns false once `deadline_ns` (on the clock of now_ns(); 0 = never) has
  // passed. Runs at least one job of the group if there is one, and finishes a job that has begun.
  // Any thread.
  virtual bool wait_until(job_group& group, std::uint64_t deadline_ns) noexcept = 0;
  // Runs one queued job of any group; false if there is none. For threads that poll for something
  // else. The caller must not hold anything (a lock, say) that a job may wait for. Any thread.
  virtual bool try_help() noexcept { return false; }

  // Between fork() and join() another thread may run the half; join() returns when it has run.
  // Joins come in the reverse order of forks, on the same thread. A system without forks runs the
  // half in join().
  virtual void fork(fork_half& half) noexcept { half.slot = nullptr; }
  virtual void join(fork_half& half) noexcept { half.run(half); }

  // The number of threads that can run jobs at once while one host thread waits. Any thread.
  [[nodiscard]] virtual unsigned concurrency() const noexcept = 0;
  // What idle threads wait for from now on, those that are asleep too: a literal, null for
  // wait_reasons::no_job. For the code that feeds the system and knows why it runs dry. Any thread.
  virtual void set_idle_reason(const char* reason) noexcept = 0;
  // A hint that work is likely to come at that time, when a read completes, say. Any thread.
  virtual void expect_work(std::uint64_t at_ns) noexcept { (void)at_ns; }

  // Reports an exception from the body of a parallel call on a thread that runs no job of any
  // system. For the parallel algorithms. `what` may be null. Any thread.
  virtual void body_threw(const char* what) noexcept { (void)what; }

  // As submit(), but runs even if the system ends first and cancels its jobs.
  void execute(task work) noexcept override { detail::execute_as_job(*this, nullptr, work); }

 private:
  std::uint32_t version_ = version_number;  // stays the first member in every version
};

// Jobs that are waited for together. May be used again after wait(). Must outlive its jobs; the
// destructor waits for them.
class job_group final : public executor {
 public:
  explicit job_group(job_system& system) noexcept : system_(system) {}
  ~job_group() override {
    if (system_.is_of_this_version()) wait();
  }
  job_group(const job_group&) = delete;
  job_group& operator=(const job_group&) = delete;

  // Submits a job, or the callable for one, as part of this group. Jobs of the group may call it at
  // any time, other threads only while a job of the group is known to be pending.
  template <class F, bool Exceptions = detail::exceptions>
    requires std::constructible_from<job, F>
  void run(F&& work, const job_options& options = {}) {
    system_.submit(job(std::forward<F>(work)), this, options);
  }
  void execute(task work) noexcept override { detail::execute_as_job(system_, this, work); }
  [[nodiscard]] bool runs_in_waits() const noexcept override { return system_.runs_in_waits(); }
  bool help_until(function_ref<bool() noexcept> done, std::uint64_t deadline_ns) noexcept override {
    return system_.help_until(done, deadline_ns);
  }
  // Any thread.
  void wait() noexcept { system_.wait(*this); }
  [[nodiscard]] bool wait_until(std::uint64_t deadline_ns) noexcept {
    return system_.wait_until(*this, deadline_ns);
  }
  // The number of jobs that have not ended. Any thread.
  [[nodiscard]] std::uint32_t pending() const noexcept {
    return pending_.load(std::memory_order_seq_cst);
  }
  // Drops the jobs that have not begun, and those submitted from now on until revive(): when their
  // turn comes, what they captured is destroyed. Any thread.
  void cancel() noexcept { stop_.cancel(); }
  [[nodiscard]] bool is_cancelled() const noexcept { return stop_.is_cancelled(); }
  // Ends the effect of cancel(). Only while no job is pending.
  template <bool Contracts = detail::contracts>
  void revive() noexcept {
    if constexpr (Contracts) {
      detail::expects(pending() == 0,
                      "job_group::revive() was called while jobs of the group are pending: wait() "
                      "first");
    }
    stop_.reset();
  }

  // For job systems: count jobs before they are queued and after they have ended. begin_job()
  // returns true if none was pending. end_job() returns true for the last one; from then on the
  // group may be destroyed.
  bool begin_job(std::uint32_t count = 1) noexcept {
    return pending_.fetch_add(count, std::memory_order_relaxed) == 0;
  }
  [[nodiscard]] bool end_job(std::uint32_t count = 1) noexcept {
    return pending_.fetch_sub(count, std::memory_order_seq_cst) == count;
  }
  // For job systems: a word that says where the pending jobs begin; 0 at first. Orders nothing.
  void set_begin(std::uint64_t place) noexcept { begin_.store(place, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t begin() const noexcept {
    return begin_.load(std::memory_order_relaxed);
  }

 private:
  job_system& system_;
  cancellation stop_;
  // On a line of its own: each submit writes it, and each job reads what is around it. Padding
  // rather than alignment, because a coroutine's frame may hold a group and is aligned to 16 bytes.
  [[maybe_unused]] std::byte padding_before_[64];
  atomic<std::uint32_t> pending_{0};
  atomic<std::uint64_t> begin_{0};
  [[maybe_unused]] std::byte padding_after_[48];
};

}  // namespace overture
