// SPDX-License-Identifier: Zlib
//
// Runs the jobs and forks of a pool, and counts them.
#pragma once

#include <array>
#include <cstdint>

#include "jobs/pool/running_job.hpp"
#include "jobs/queues/job_intake.hpp"
#include "overture/base/detail/compiler.hpp"

namespace overture::jobs_detail {

class job_runner {
 public:
  job_runner(const thread_pool_config& config, job_slab& slab, pool_slots& slots,
             job_queues& queues, job_intake& intake, parking& sleepers) noexcept
      : reports(config.hooks),
        at_end_(config.queued),
        slab_(slab),
        slots_(slots),
        queues_(queues),
        intake_(intake),
        sleepers_(sleepers) {}

  // Runs a claimed record, or drops its job, and frees the record. `self` is the thread's slot,
  // null if it has none.
  void run(pool_slot* self, job_record& record) noexcept;
  // As run(), but leaves it to the caller to count the group down.
  void run_uncounted(pool_slot* self, job_record& record) noexcept;
  // Counts jobs of a group down that have ended. The group may be gone afterwards.
  void count_down(job_group* group, std::uint32_t jobs) noexcept;
  // Runs a job for which there is no record, inside the submit() that it was given to or later. If
  // too many such jobs nest on the stack it queues the job in a spare record.
  void run_now(job&& work, job_group* group, const job_options& options,
               bool inside_submit) noexcept;
  void run_half(pool_slot* self, fork_half& half) noexcept;

  // From now on jobs that have not begun are dropped, if the pool was configured so.
  void stop() noexcept { stopping_.store(true, std::memory_order_seq_cst); }
  [[nodiscard]] bool is_stopping() const noexcept {
    return stopping_.load(std::memory_order_seq_cst);
  }
  // Adds what threads without a slot have run, and what was dropped or has thrown.
  void add_counts(thread_pool_stats& sum) const noexcept;

  job_reports reports;

 private:
  void call(pool_slot* self, job& work, const job_terms& terms, const job_group* group,
            bool inside_submit) noexcept;

  const at_end at_end_;
  job_slab& slab_;
  pool_slots& slots_;
  job_queues& queues_;
  job_intake& intake_;
  parking& sleepers_;
  atomic<bool> stopping_{false};
  // Several lines, or threads would wait for each other.
  struct alignas(detail::line_bytes) counter_line {
    atomic<std::uint64_t> jobs{0};
  };
  std::array<counter_line, 16> run_without_slot_;
  alignas(detail::line_bytes) atomic<std::uint64_t> dropped_{0};
};

// Jobs of one group that a thread has run in a row. They are counted down together, so the group's
// line moves between cores once for all of them. The group cannot end before that.
class ended_jobs {
 public:
  explicit ended_jobs(job_runner& runner) noexcept : runner_(runner) {}

  // Before each job.
  void begin(job_group* group) noexcept {
    if (group == group_) return;
    count_down();
    group_ = group;
  }
  // After it.
  void add() noexcept { ++count_; }
  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  void count_down() noexcept {
    if (count_ != 0) runner_.count_down(group_, count_);
    count_ = 0;
  }

 private:
  job_runner& runner_;
  job_group* group_ = nullptr;
  std::uint32_t count_ = 0;
};

}  // namespace overture::jobs_detail
