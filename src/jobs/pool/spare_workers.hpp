// SPDX-License-Identifier: Zlib
//
// Workers that stand in for those inside a blocking_scope, and rest for the remaining time.
#pragma once

#include <cstdint>

#include "jobs/queues/pool_slots.hpp"
#include "jobs/sleep/parking.hpp"
#include "overture/base/atomic.hpp"

namespace overture::jobs_detail {

class spare_workers {
 public:
  spare_workers(pool_slots& slots, parking& sleepers) noexcept
      : slots_(slots), sleepers_(sleepers) {}

  // A worker begins to block, or goes on.
  void begin_block() noexcept {
    const std::uint32_t spare = blocked_.fetch_add(1, std::memory_order_seq_cst);
    if (spare < slots_.spares()) slots_[slots_.workers() + spare].rest.unpark();
  }
  void end_block() noexcept {
    const std::uint32_t spare = blocked_.fetch_sub(1, std::memory_order_seq_cst) - 1;
    if (spare >= slots_.spares()) return;
    // If it sleeps among the workers a submit might wake it for a job that is theirs.
    const unsigned seat = slots_.workers() + spare;
    if (sleepers_.is_parked(seat)) sleepers_.wake_worker(seat, true);
  }
  [[nodiscard]] bool is_spare(const pool_slot& slot) const noexcept {
    return slot.number >= slots_.workers();
  }
  // False for a spare worker while it stands in for no other.
  [[nodiscard]] bool is_needed(const pool_slot& slot) const noexcept {
    return !is_spare(slot) ||
           slot.number - slots_.workers() < blocked_.load(std::memory_order_seq_cst);
  }

 private:
  pool_slots& slots_;
  parking& sleepers_;
  atomic<std::uint32_t> blocked_{0};  // workers inside a blocking_scope
};

}  // namespace overture::jobs_detail
