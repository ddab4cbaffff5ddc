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
  // A job of the group, claimed; null if there is none. Any thread.
  [[nodiscard]] job_record* take_of(const job_group* group) noexcept {
    std::uint64_t dead = 0;
    job_record* const found = empty() ? nullptr : deque_.take_of(group, UINT64_MAX, &dead);
    if (!deque_.has_many_dead(dead)) return found;
    const sync_detail::scoped_lock hold(lock_);
    deque_.remove_dead(sleepers_);
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
  sync_detail::mutex lock_;
  bool is_ready_ = false;
  job_deque deque_;
  allocator& memory_;
  parking& sleepers_;
};

}  // namespace overture::jobs_detail
