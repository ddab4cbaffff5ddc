// SPDX-License-Identifier: Zlib
//
// How jobs get into the queues of a pool.
#pragma once

#include <cstddef>
#include <span>

#include "jobs/queues/job_queues.hpp"

namespace overture::jobs_detail {

class job_intake {
 public:
  job_intake(job_slab& slab, pool_slots& slots, job_queues& queues, parking& sleepers) noexcept
      : slab_(slab), slots_(slots), queues_(queues), sleepers_(sleepers) {}

  // Queues the first of these jobs, as many as there is room for, and wakes at most one thread for
  // each 64. Returns how many; those are moved from. Any thread.
  [[nodiscard]] std::size_t add(std::span<job> work, job_group* group,
                                const job_options& options) noexcept;
  // As add(), for a job of the main thread, which may use a spare record.
  [[nodiscard]] bool add_main(job& work, job_group* group, const job_options& options) noexcept;
  // Queues a job in a spare record; false if there is none. Any thread.
  [[nodiscard]] bool add_spare(shared_queue& into, job& work, job_group* group,
                               const job_options& options) noexcept;
  // Queues a normal job again that the caller has claimed; false if there is no room. Any thread.
  [[nodiscard]] bool add_again(job_record& claimed) noexcept;
  // At the pool's end: waits until threads of the host have left add() and add_main(). Their jobs
  // may have run before that.
  void wait_for_callers() noexcept;
  // While it lives, the thread counts as such a caller.
  class caller {
   public:
    explicit caller(job_intake& in) noexcept : in_(in), counts_(!in.slots_.of_this_thread()) {
      if (counts_) in_.callers_.fetch_add(1, std::memory_order_relaxed);
    }
    ~caller() {
      if (counts_) in_.callers_.fetch_sub(1, std::memory_order_release);
    }
    caller(const caller&) = delete;
    caller& operator=(const caller&) = delete;

   private:
    job_intake& in_;
    const bool counts_;  // a thread with a slot is known anyway
  };

 private:
  std::size_t add_to(pool_slot& slot, bool from_outside, std::span<job> work, job_group* group,
                     const job_terms& terms) noexcept;
  std::size_t add_to(shared_queue& into, std::span<job> work, job_group* group,
                     const job_terms& terms) noexcept;
  // The deque's owner: the first of these jobs, no more than `add_at_once`. Returns how many.
  // `queue`: the deque's number in a job_place, if a group may begin there.
  std::size_t push_some(job_deque& deque, std::uint32_t queue, free_records& records,
                        std::span<job> work, job_group* group, const job_terms& terms) noexcept;
  template <class Arm>
  bool add_record(shared_queue& into, job_record& record, const job_group* group, Arm arm) noexcept;

  job_slab& slab_;
  pool_slots& slots_;
  job_queues& queues_;
  parking& sleepers_;
  // On a line of its own: every submit reads what is before it.
  alignas(detail::line_bytes) atomic<unsigned> callers_{0};
};

}  // namespace overture::jobs_detail
