#include <utility>

#include "jobs/pool_state.hpp"
#include "overture/jobs/job_batch.hpp"

namespace overture {

cork::cork(thread_pool& pool) noexcept
    : pool_(pool), outer_(static_cast<cork*>(std::exchange(this_thread_jobs().cork, this))) {
  next = set_wait_observer(this);
}

cork::~cork() {
  remove_wait_observer(*this);
  this_thread_jobs().cork = outer_;
  flush();
}

void cork::flush() noexcept {
  if (count_ == 0) return;
  // What a job that starts right here submits is gathered anew.
  entry taken[jobs_max];
  const std::size_t count = std::exchange(count_, 0);
  for (std::size_t i = 0; i < count; ++i) taken[i] = std::move(entries_[i]);
  pool_state& pool = *pool_.state_;
  pool_place* const self = pool.this_place();
  free_records by_itself;
  free_records& from = self != nullptr ? self->spare_records : by_itself;
  for (std::size_t begin = 0; begin < count;) {
    job_group* const group = taken[begin].group;
    record_chain newest_first;
    while (begin < count && taken[begin].group == group) {
      entry& each = taken[begin++];
      job_record* const record = from.take(pool.slab);
      if (record == nullptr) {
        pool.run_now(std::move(each.work), group, each.options, false);
        if (group != nullptr && group->end_job()) pool.sleepers.wake_waiters(group);
        continue;
      }
      record->arm(std::move(each.work), group, each.options, pool.jobs.linked_here());
      newest_first.prepend(*record);
    }
    if (newest_first.count != 0) pool.publish(pool.jobs, newest_first, group);
  }
  by_itself.give_all_back(pool.slab);
}

void cork::flush_this_thread() noexcept {
  auto* const innermost = static_cast<cork*>(this_thread_jobs().cork);
  for (cork* each = innermost; each != nullptr;) {
    if (each->count_ == 0) {
      each = each->outer_;
      continue;
    }
    // Jobs that run right here, for want of room, are gathered from again.
    each->flush();
    each = innermost;
  }
}

bool cork::gathers(const thread_pool& pool, const job_options& options) const noexcept {
  return &pool == &pool_ && options.priority == job_priority::normal;
}

void cork::add(job&& work, job_group* group, const job_options& options) noexcept {
  entries_[count_++] = {std::move(work), group, options};
  if (count_ == jobs_max) flush();
}

void cork::wait_begins(const char* reason) noexcept {
  flush_this_thread();
  if (next != nullptr) next->wait_begins(reason);
}

void cork::wait_ends() noexcept {
  if (next != nullptr) next->wait_ends();
}

}  // namespace overture
