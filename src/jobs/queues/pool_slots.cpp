// SPDX-License-Identifier: Zlib
#include "jobs/queues/pool_slots.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/threads/thread_slot.hpp"
#include "jobs/sleep/this_thread.hpp"

namespace overture::jobs_detail {
using namespace base_detail;

pool_slots::pool_slots(pool_state& pool, const thread_pool_config& config,
                       allocator& memory) noexcept
    : memory_(memory), wanted_(config.workers + config.spare_workers + config.guests) {
  if (wanted_ == 0) return;
  slots_ = static_cast<pool_slot*>(
      memory.allocate(sizeof(pool_slot) * wanted_, alignof(pool_slot), memory_tag::jobs));
  const char* const given = config.worker_thread.name;
  while (slots_ != nullptr && made_ < wanted_) {
    pool_slot& made = *::new (static_cast<void*>(slots_ + made_)) pool_slot;
    if (!made.deque.initialise(memory)) {
      made.~pool_slot();
      break;
    }
    made.pool = &pool;
    made.number = made_++;
    write_thread_name(made.name, given != nullptr ? given : "worker", made.number + 1);
  }
  workers_ = std::min(made_, config.workers);
  spares_ = std::min(made_ - workers_, config.spare_workers);
}

pool_slots::~pool_slots() {
  for (pool_slot& each : *this) each.~pool_slot();
  memory_.deallocate(slots_, sizeof(pool_slot) * wanted_, alignof(pool_slot), memory_tag::jobs);
}

pool_slot* pool_slots::of_this_thread() const noexcept {
  pool_slot* const slot = this_thread_jobs().slot;
  return slot >= begin() && slot < end() ? slot : nullptr;
}

pool_slot* pool_slots::borrow_usual_guest() const noexcept {
  const unsigned count = made_ - first_guest();
  if (count == 0) return nullptr;
  const unsigned slot = thread_slot();
  pool_slot& usual = guests()[slot < count ? slot : slot % count];  // most need no division
  return try_borrow(usual) ? &usual : nullptr;
}

pool_slot* pool_slots::borrow_any_guest() const noexcept {
  pool_slot* const free = std::find_if(guests(), end(), try_borrow);
  return free != end() ? free : nullptr;
}

void pool_slots::enter(pool_slot& guest) noexcept {
  guest.lender = std::exchange(this_thread_jobs().slot, &guest);
}

void pool_slots::leave(pool_slot& guest, job_slab& slab) noexcept {
  // It may be long until this thread submits again.
  if (slab.is_at_limit()) guest.spare_records.give_all_back(slab);
  this_thread_jobs().slot = std::exchange(guest.lender, nullptr);
  return_guest(guest);
}

}  // namespace overture::jobs_detail
