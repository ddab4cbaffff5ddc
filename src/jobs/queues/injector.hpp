// A queue that any thread may add to, for jobs of one kind: of one priority, for the main thread,
// or from threads without a slot.
//
// New jobs go onto `arrivals`, newest on top, because that is one exchange for any thread. When
// `queue` is empty the arrivals are turned over onto it, so jobs start in the order they came.
//
// A thread that waits for a group claims its jobs out of the middle. Their records stay linked and
// are unlinked by whoever comes across them.
#pragma once

#include <cstdint>

#include "jobs/queues/group_set.hpp"
#include "jobs/queues/record_stack.hpp"
#include "jobs/sleep/parking.hpp"

namespace overture::jobs_detail {

class injector {
 public:
  injector(std::uint32_t kind, job_slab& slab, parking& sleepers) noexcept
      : kind_(kind), slab_(slab), sleepers_(sleepers) {}

  // What its records are armed with.
  [[nodiscard]] std::uint32_t linked_here() const noexcept { return job_record::linked | kind_; }
  [[nodiscard]] bool empty() const noexcept { return arrivals_.empty() && queue_.empty(); }
  // Any thread: adds armed records, newest first.
  void push(const record_chain& newest_first) noexcept { arrivals_.push(newest_first); }
  // Any thread: the oldest job, claimed; null if there is none.
  [[nodiscard]] job_record* take() noexcept;
  // Any thread: some job of the group, claimed, wherever it lies; null if there is none.
  [[nodiscard]] job_record* take_of(const job_group* group) noexcept;

 private:
  // False if there were none.
  bool turn_arrivals() noexcept;
  [[nodiscard]] job_record* claim_in(record_stack& stack, const job_group* group) noexcept;
  void remove_dead(record_stack& stack) noexcept;
  void unlink(job_record& record) noexcept {
    if (record.unlink()) slab_.give_back(record);
  }
  // Behind hiding records for a moment.
  void show_again(record_stack& stack, const record_chain& chain, const group_set& groups) noexcept;

  const std::uint32_t kind_;  // of job_record
  job_slab& slab_;
  parking& sleepers_;
  record_stack arrivals_;
  record_stack queue_;
};

}  // namespace overture::jobs_detail
