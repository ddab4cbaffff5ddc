// SPDX-License-Identifier: Zlib
//
// A queue of jobs that all threads add to: those of high or low priority, those for the main
// thread, and normal ones of threads that have no deque at the moment. It is a deque whose owner is
// the thread that holds the lock. Taking needs no lock.
#pragma once

#include "jobs/queues/job_deque.hpp"
#include "sync/mutex.hpp"

namespace overture::jobs_detail {

class shared_queue {
 public:
  shared_queue(std::uint32_t kind, allocator& memory, parking& sleepers) noexcept
      : deque_(kind), memory_(memory), sleepers_(sleepers) {}

  [[nodiscard]] bool empty() const noexcept { return deque_.empty(); }
  // The oldest job, claimed; null if there is none. Any thread.
  [[nodiscard]] job_record* take() noexcept {
    while (!empty()) {
      job_record* const oldest = deque_.steal().record();
      if (oldest != nullptr && oldest->claim(deque_.kind())) return oldest;
    }
    return nullptr;
  }
  // A job of the group, claimed; null if there is none. Looks at no more than `most`. Any thread.
  [[nodiscard]] job_record* take_of(const job_group* group, std::uint64_t most) noexcept {
    std::uint64_t dead = 0;
    job_record* const found = empty() ? nullptr : deque_.take_of(group, most, &dead);
    if (deque_.has_many_dead(dead)) remove_dead();
    return found;
  }
  // As job_deque::claim_next_of(). Any thread.
  [[nodiscard]] job_record* take_next_of(const job_group* group, std::uint64_t& next,
                                         std::uint64_t most) noexcept {
    job_record* const found = empty() ? nullptr : deque_.claim_next_of(group, next, most);
    if (found == nullptr) return nullptr;
    // Dead hints in the middle are counted nowhere else.
    const std::uint64_t dead = dead_inside_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (deque_.has_many_dead(dead)) remove_dead();
    return found;
  }
  // Calls add(deque) for its owner; not if memory for the deque is refused. Any thread.
  template <class Add>
  void add(Add add_to) noexcept {
    const sync_detail::scoped_lock hold(lock_);
    if (!is_ready_) is_ready_ = deque_.initialise(memory_);
    if (is_ready_) add_to(deque_);
  }

 private:
  void remove_dead() noexcept {
    const sync_detail::scoped_lock hold(lock_);
    dead_inside_.store(0, std::memory_order_relaxed);
    deque_.remove_dead(sleepers_);
  }

  sync_detail::mutex lock_;
  bool is_ready_ = false;
  job_deque deque_;
  allocator& memory_;
  parking& sleepers_;
  atomic<std::uint64_t> dead_inside_{0};  // at most; of jobs taken out of the middle
};

}  // namespace overture::jobs_detail
