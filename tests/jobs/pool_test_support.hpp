// SPDX-License-Identifier: Zlib
//
// What the tests of the thread pool share.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "jobs/pool/running_job.hpp"
#include "jobs/sleep/this_thread.hpp"
#include "overture/base/thread.hpp"
#include "overture/jobs/parallel.hpp"
#include "overture/jobs/thread_pool.hpp"
#include "overture/sync/barricade.hpp"
#include "sync/wait.hpp"

namespace overture::test {

// The generic wait layer has a mutex that sleepers and wakers take.
#define OVERTURE_TEST_NAME_OF(name) #name
#define OVERTURE_TEST_NAME(name) OVERTURE_TEST_NAME_OF(name)
inline constexpr bool sleeping_locks =
    std::string_view(OVERTURE_TEST_NAME(OVERTURE_WAIT_LAYER)) == "generic_wait";
#undef OVERTURE_TEST_NAME
#undef OVERTURE_TEST_NAME_OF

// Returns when every worker sleeps.
inline void await_parked(const thread_pool& pool) {
  while (pool.stats().parked_now != pool.workers()) yield_thread();
}

// Returns when `count` threads more than at `before` sleep in the wait layer, or are about to.
inline void await_sleepers(const sync_detail::wait_counts& before, std::uint64_t count) {
  while (sync_detail::wait_layer::counts().waits - before.waits < count) yield_thread();
}

// Keeps one worker busy from construction on until release().
class busy_worker {
 public:
  explicit busy_worker(thread_pool& pool) {
    pool.submit(
        [this] {
          started_.lower();
          door_.wait();
          gone_.lower();
        },
        nullptr);
    started_.wait();
  }
  ~busy_worker() { release(); }
  busy_worker(const busy_worker&) = delete;
  busy_worker& operator=(const busy_worker&) = delete;

  void release() {
    door_.lower();
    gone_.wait();
  }

 private:
  barricade started_;
  barricade door_;
  barricade gone_;
};

inline int jobs_on_this_stack() {
  int count = 0;
  for (const jobs_detail::running_job* each = jobs_detail::this_thread_jobs().innermost;
       each != nullptr; each = each->below) {
    ++count;
  }
  return count;
}

inline std::uint64_t fib(job_system& system, unsigned n) {
  if (n < 2) return n;
  std::uint64_t first = 0;
  job_group group{system};
  group.run([&system, &first, n] { first = fib(system, n - 1); });
  const std::uint64_t second = fib(system, n - 2);
  group.wait();
  return first + second;
}

}  // namespace overture::test
