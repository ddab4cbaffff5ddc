// SPDX-License-Identifier: Zlib
//
// Jobs gathered and submitted together: one push, one check for sleepers and at most one wake for
// each 64 of them.
//
//   job_batch batch(jobs, &group);
//   for (auto& chunk : chunks) batch.add([&chunk] { build(chunk); });
//   batch.kick();                          // or when the batch is destroyed
//
//   {
//     cork gathered(jobs);                 // whatever this thread submits to `jobs` in here ...
//     load_level(level);
//   }                                      // ... starts now
//
// A batch is explicit and works with any job_system. A cork gathers the submits of code that does
// not know about it; jobs that follow each other with the same group and options are pushed
// together. A cork cannot make a program hang: its jobs start when it is full, when it ends, and
// before this thread waits, in the job system or on anything else that sleeps in Overture's wait
// layer. A loop that polls is not such a wait: call flush() before it.
//
// Cost: add() makes the job in place (2 ns). Nothing is shared before the kick.
#pragma once

#include <concepts>
#include <cstddef>
#include <new>
#include <utility>

#include "overture/base/api.hpp"
#include "overture/jobs/job_system.hpp"
#include "overture/sync/wait_observer.hpp"

namespace overture {

class thread_pool;
namespace jobs_detail {
// Submits what all corks of this thread have gathered. Before the thread announces that it sleeps:
// their jobs may be waited for, and those that there is no room for run right here.
void flush_corks() noexcept;
}  // namespace jobs_detail

// Used by one thread at a time.
class OVERTURE_API job_batch {
 public:
  static constexpr std::size_t jobs_max = 64;  // then it kicks by itself

  explicit job_batch(job_system& system, job_group* group = nullptr,
                     const job_options& options = {}) noexcept
      : system_(system), group_(group), options_(options) {}
  ~job_batch() { kick(); }
  job_batch(const job_batch&) = delete;
  job_batch& operator=(const job_batch&) = delete;

  // Adds a job, or makes one in place from a callable.
  template <class F, bool Exceptions = detail::exceptions>
    requires std::constructible_from<job, F>
  void add(F&& work) {
    // In place: a copy made right after the original would wait for its stores.
    ::new (static_cast<void*>(jobs_ + count_)) job(std::forward<F>(work));
    if (++count_ == jobs_max) kick();
  }
  void kick() noexcept {
    if (count_ != 0) submit();
  }

 private:
  void submit() noexcept;

  job_system& system_;
  job_group* const group_;
  const job_options options_;
  std::size_t count_ = 0;
  union {
    job jobs_[jobs_max];  // the first `count_` of them
  };
};

// Ends on the thread that made it, after all corks made later. Gathers jobs of normal priority
// only. Takes about 7 KiB of stack.
class OVERTURE_API cork final : private wait_observer {
 public:
  explicit cork(thread_pool& pool) noexcept;
  ~cork() override;
  cork(const cork&) = delete;
  cork& operator=(const cork&) = delete;

  // Submits what has been gathered so far.
  void flush() noexcept;

 private:
  friend class thread_pool;
  friend void jobs_detail::flush_corks() noexcept;
  static constexpr std::size_t jobs_max = 64;

  // True if there was something to flush.
  bool flush_if_filled() noexcept;
  [[nodiscard]] cork* outer() const noexcept { return outer_; }
  [[nodiscard]] bool gathers(const thread_pool& pool, const job_options& options) const noexcept;
  void add(job&& work, job_group* group, const job_options& options) noexcept;

  void wait_begins(const char* reason) noexcept override;
  void wait_ends() noexcept override;

  struct terms {
    job_group* group = nullptr;
    job_options options = {};
    friend bool operator==(const terms& left, const terms& right) noexcept = default;
  };

  thread_pool& pool_;
  cork* const outer_;
  std::size_t count_ = 0;
  job jobs_[jobs_max];
  terms of_jobs_[jobs_max];
};

}  // namespace overture
