// SPDX-License-Identifier: Zlib
//
// The slots of a pool: first those of the workers, then those of spare workers, then the guests,
// which threads of the host borrow.
#pragma once

#include "jobs/queues/pool_slot.hpp"
#include "overture/jobs/thread_pool.hpp"

namespace overture::jobs_detail {

class pool_slots {
 public:
  // Makes as many as there is memory for, workers first.
  pool_slots(pool_state& pool, const thread_pool_config& config, allocator& memory) noexcept;
  ~pool_slots();
  pool_slots(const pool_slots&) = delete;
  pool_slots& operator=(const pool_slots&) = delete;

  [[nodiscard]] unsigned size() const noexcept { return made_; }
  [[nodiscard]] unsigned workers() const noexcept { return workers_; }  // without the spare ones
  [[nodiscard]] unsigned spares() const noexcept { return spares_; }
  [[nodiscard]] unsigned first_guest() const noexcept { return workers_ + spares_; }
  [[nodiscard]] bool is_guest(const pool_slot& slot) const noexcept {
    return slot.number >= first_guest();
  }
  [[nodiscard]] pool_slot& operator[](unsigned number) const noexcept { return slots_[number]; }
  [[nodiscard]] pool_slot* begin() const noexcept { return slots_; }
  [[nodiscard]] pool_slot* end() const noexcept { return slots_ + made_; }
  [[nodiscard]] pool_slot* guests() const noexcept { return slots_ + first_guest(); }

  // The calling thread's slot in this pool; null if it has none.
  [[nodiscard]] pool_slot* of_this_thread() const noexcept;
  // The guest slot that this thread's submits go through; null if another thread has it now, or
  // there are no guests. Give it back with return_guest().
  [[nodiscard]] pool_slot* borrow_usual_guest() const noexcept;
  // Any guest slot that is free.
  [[nodiscard]] pool_slot* borrow_any_guest() const noexcept;
  static void return_guest(pool_slot& guest) noexcept {
    guest.borrowed.store(false, std::memory_order_release);
  }
  // Makes a borrowed slot the calling thread's until leave(), which returns it.
  static void enter(pool_slot& guest) noexcept;
  static void leave(pool_slot& guest, job_slab& slab) noexcept;

 private:
  [[nodiscard]] static bool try_borrow(pool_slot& guest) noexcept {
    return !guest.borrowed.load(std::memory_order_relaxed) &&
           !guest.borrowed.exchange(true, std::memory_order_acquire);
  }

  allocator& memory_;
  const unsigned wanted_;
  pool_slot* slots_ = nullptr;
  unsigned made_ = 0;
  unsigned workers_ = 0;
  unsigned spares_ = 0;
};

}  // namespace overture::jobs_detail
