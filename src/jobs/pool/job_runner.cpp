// SPDX-License-Identifier: Zlib
#include "jobs/pool/job_runner.hpp"

#include <optional>
#include <utility>

#include "base/threads/thread_slot.hpp"

namespace overture::jobs_detail {
using namespace base_detail;

namespace {

// A job that runs inside submit() may submit another one, and so on. From this depth on jobs are
// queued in spare records.
constexpr unsigned jobs_in_submit_max = 32;

}  // namespace

void job_runner::call(pool_slot* self, job& work, const job_terms& terms, const job_group* group,
                      bool inside_submit) noexcept {
  // Until the job is destroyed: what its captures do then is still part of it, and must not wait
  // for its own group.
  const on_stack frame(reports, terms.name, group, inside_submit ? &work : nullptr);
  const bool ends = at_end_ == at_end::cancel && stopping_.load(std::memory_order_relaxed);
  if ((ends && (terms.bits & job_terms::always) == 0) || is_cancelled(terms.token, group)) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
  } else {
    // Never null: what it forks lies on the slot from here on.
    std::optional<pool_slot::running> shown;
    if (self != nullptr) {
      shown.emplace(*self, group != nullptr ? static_cast<const void*>(group) : &work);
    }
    if (terms.name == nullptr) {
      work();
    } else {
      const zone recorded(terms.name, {.colour = terms.colour()});
      work();
    }
    if (self != nullptr) {
      self->jobs_run.add(1);
    } else {
      run_without_slot_[thread_slot() % run_without_slot_.size()].jobs.fetch_add(
          1, std::memory_order_relaxed);
    }
  }
  work = job();  // what it captured ends before its group does
}

void job_runner::run_uncounted(pool_slot* self, job_record& record) noexcept {
  const job_group* const group = record.group.load(std::memory_order_relaxed);
  call(self, record.work, record.given_terms(), group, false);
  if (self != nullptr) {
    self->spare_records.give_back(slab_, record);
  } else {
    slab_.give_back(record);
  }
}

void job_runner::run(pool_slot* self, job_record& record) noexcept {
  job_group* const group = record.group.load(std::memory_order_relaxed);
  run_uncounted(self, record);
  count_down(group, 1);
  sleepers_.tell_helpers();
}

void job_runner::count_down(job_group* group, std::uint32_t jobs) noexcept {
  // A waiter may destroy the group as soon as it has ended: an address from there on.
  if (group != nullptr && group->end_job(jobs)) sleepers_.wake_waiters(group);
}

void job_runner::run_now(job&& work, job_group* group, const job_options& options,
                         bool inside_submit) noexcept {
  unsigned& depth = this_thread_jobs().jobs_in_submit;
  if (depth >= jobs_in_submit_max &&
      intake_.add_spare(queues_.of(options.priority), work, group, options)) {
    return;
  }
  // Counted like any other: it may end a count that stood for it while a thread waits.
  if (group != nullptr) group->begin_job();
  ++depth;
  call(nullptr, work, options, group, inside_submit);
  --depth;
  count_down(group, 1);
  sleepers_.tell_helpers();
}

void job_runner::run_half(pool_slot* self, fork_half& half) noexcept {
  // What it forks needs a slot to lie on; without one it just runs.
  pool_slot* const borrowed = self == nullptr ? slots_.borrow_any_guest() : nullptr;
  if (borrowed != nullptr) pool_slots::enter(*borrowed);
  pool_slot* const slot = self != nullptr ? self : borrowed;
  {
    const on_stack frame(reports, static_cast<running_job*>(half.below));
    std::optional<pool_slot::running> shown;
    if (slot != nullptr) {
      half.thief.store(slot, std::memory_order_release);
      shown.emplace(*slot, &half);
    }
    half.run(half);
  }
  if (borrowed != nullptr) pool_slots::leave(*borrowed, slab_);
  // Once this is written the thread that forked it may go on, and its stack be gone.
  const void* const key = &half;
  half.state.store(fork_half::done, std::memory_order_seq_cst);
  sleepers_.wake_waiters(key);
}

void job_runner::add_counts(thread_pool_stats& sum) const noexcept {
  for (const counter_line& each : run_without_slot_) {
    sum.jobs_run += each.jobs.load(std::memory_order_relaxed);
  }
  sum.jobs_dropped += dropped_.load(std::memory_order_relaxed);
  sum.jobs_thrown += reports.thrown.load(std::memory_order_relaxed);
}

}  // namespace overture::jobs_detail
