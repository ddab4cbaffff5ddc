// SPDX-License-Identifier: Zlib
//
// A job system whose jobs run in threads of the explorer that wait for them.
#pragma once

#include <array>
#include <utility>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"
#include "overture/jobs/job_system.hpp"
#include "overture/sync/event_count.hpp"

namespace overture::test {

// Of at most 32 jobs.
class few_jobs final : public job_system {
 public:
  void submit(job work, job_group* group, const job_options&) noexcept override {
    group->begin_job();
    const std::uint32_t number = submitted_.fetch_add(1);
    interleave::check(number < jobs_.size(), "few jobs");
    jobs_[number].work = std::move(work);
    jobs_[number].group = group;
    jobs_[number].state.store(queued);
    changed_.notify_one();
  }
  void wait(job_group& group) noexcept override {
    for (;;) {
      if (run_one()) continue;
      bool found = false;
      const auto key = changed_.prepare_wait();
      for (auto& each : jobs_) found = found || each.state.load() == queued;
      if (found || group.pending() == 0) {
        changed_.cancel_wait();
        if (!found) return;
        continue;
      }
      changed_.wait(key, interleave::at_once);
    }
  }
  bool wait_until(job_group& group, std::uint64_t) noexcept override {
    wait(group);
    return true;
  }
  // False: no job is queued.
  bool run_one() noexcept {
    // One may be queued after one that is not yet.
    const std::uint32_t submitted = submitted_.load();
    for (std::uint32_t i = 0; i < submitted; ++i) {
      slot& each = jobs_[i];
      std::uint32_t expected = queued;
      if (!each.state.compare_exchange_strong(expected, taken)) continue;
      each.work();
      if (each.group->end_job()) changed_.notify_all();
      return true;
    }
    return false;
  }
  // While a loader is between taking an item and counting it, others look for it in a loop, in
  // which this is called.
  [[nodiscard]] OVERTURE_UNWATCHED unsigned concurrency() const noexcept override {
    if (looks_left_ == 0) {
      interleave::let_others_run();
    } else {
      --looks_left_;
    }
    return loaders_max;
  }
  void set_idle_reason(const char*) noexcept override {}
  unsigned loaders_max = 2;
  // What ends without a job, as does an item that is dropped.
  void look() noexcept { changed_.notify_all(); }

 private:
  enum : std::uint32_t { none, queued, taken };
  struct slot {
    job work;
    job_group* group = nullptr;
    atomic<std::uint32_t> state{none};
  };

  std::array<slot, 32> jobs_;
  mutable unsigned looks_left_ = 40;
  atomic<std::uint32_t> submitted_{0};
  event_count changed_;
};

}  // namespace overture::test
