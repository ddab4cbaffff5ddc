// SPDX-License-Identifier: Zlib
//
// A thread pool whose workers are threads of the explorer, and the bounds of the searches that its
// tests share.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"
#include "interleave/include/jobs/queues/sizes.hpp"
#include "interleave/include/overture/base/atomic.hpp"
#include "overture/jobs/thread_pool.hpp"

namespace overture::test {

// Notes the threads that a pool starts, for the explorer to run.
class noted_threads final : public thread_factory {
 public:
  result<thread_handle> start(const thread_options&, void (*entry)(void*) noexcept,
                              void* argument) override {
    started_.push_back({entry, argument});
    return thread_handle{started_.size()};
  }
  void join(thread_handle thread) noexcept override {
    interleave::join(static_cast<unsigned>(thread.value));
  }
  // In the explorer's thread of this number, counted from one.
  void run(std::size_t worker) {
    interleave::check(interleave::this_thread() == worker + 1, "workers are the first threads");
    started_[worker].entry(started_[worker].argument);
  }

 private:
  struct work {
    void (*entry)(void*) noexcept;
    void* argument;
  };
  std::vector<work> started_;
};

// A pool whose workers run as threads of the explorer. The last of the other threads stops it.
class explored_pool {
 public:
  explicit explored_pool(unsigned workers, unsigned others, wake_policy wake = wake_policy::park,
                         unsigned spares = 0, unsigned guests = 1,
                         std::size_t queued_max = limits::jobs_queued_max)
      : pool(std::in_place,
             thread_pool_config{
                 .workers = workers,
                 .spare_workers = spares,
                 .wake = wake,
                 .guests = guests,
                 .queued_max = queued_max,
                 .threads = &threads,
                 .tuning = {.spin_ns = 0, .spin_long_ns = 0, .yield_ns = 0, .warm_ns = 0}}),
        others_(others) {}

  void worker(std::size_t number) { threads.run(number); }
  // Call at the end of every other thread.
  void leave() {
    if (others_.fetch_sub(1) == 1) pool.reset();
  }

  noted_threads threads;
  std::optional<thread_pool> pool;

 private:
  atomic<unsigned> others_;
};

}  // namespace overture::test
