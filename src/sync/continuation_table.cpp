// SPDX-License-Identifier: Zlib
#include "sync/continuation_table.hpp"

#include <utility>

namespace overture::sync_detail {

continuation_table::list& continuation_table::list_of(const void* barricade_address) noexcept {
  const auto bits = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(barricade_address));
  static_assert(base_detail::shared_state::continuation_lists_max == 1 << (64 - 58));
  return base_detail::shared().continuations[bits * 0x9E3779B97F4A7C15u >> 58];
}

void continuation_table::push(list& to, barricade_continuation& first,
                              barricade_continuation& last) noexcept {
  barricade_continuation* newest = to.newest.load(std::memory_order_relaxed);
  do {
    last.next = newest;
  } while (!to.newest.compare_exchange_weak(newest, &first, std::memory_order_seq_cst,
                                            std::memory_order_relaxed));
}

void continuation_table::add(barricade_continuation& added) noexcept {
  push(list_of(added.of), added, added);
}

void continuation_table::arm(barricade_continuation& added) noexcept {
  list& all = list_of(added.of);
  added.armed.store(true, std::memory_order_seq_cst);
  // It may have been released before it was armed.
  scan(all);
}

void continuation_table::run_released(const void* barricade_address) noexcept {
  scan(list_of(barricade_address));
}

void continuation_table::scan(list& all) noexcept {
  for (;;) {
    const std::uint32_t this_scan = all.scans.fetch_add(1, std::memory_order_seq_cst) + 1;
    barricade_continuation* oldest_ready = nullptr;
    barricade_continuation* newest_kept = nullptr;
    barricade_continuation* oldest_kept = nullptr;
    barricade_continuation* each = all.newest.exchange(nullptr, std::memory_order_seq_cst);
    while (each != nullptr) {
      barricade_continuation& now = *std::exchange(each, each->next);
      if (now.armed.load(std::memory_order_seq_cst) && now.of->has_let_through(now.generation)) {
        now.next = std::exchange(oldest_ready, &now);
        continue;
      }
      (newest_kept == nullptr ? newest_kept : oldest_kept->next) = &now;
      oldest_kept = &now;
    }
    if (newest_kept != nullptr) push(all, *newest_kept, *oldest_kept);
    while (oldest_ready != nullptr) {
      // May be destroyed as soon as its work has begun.
      const barricade_continuation& first = *std::exchange(oldest_ready, oldest_ready->next);
      first.where->execute(first.work);
    }
    if (newest_kept == nullptr || all.scans.load(std::memory_order_seq_cst) == this_scan) return;
  }
}

}  // namespace overture::sync_detail
