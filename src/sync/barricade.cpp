// SPDX-License-Identifier: Zlib
#include "overture/sync/barricade.hpp"

#include "overture/base/contracts.hpp"
#include "sync/continuation_table.hpp"
#include "sync/deadline.hpp"
#include "sync/ladder.hpp"
#include "sync/wait.hpp"

namespace overture {

using namespace sync_detail;

// gnu::hot places it next to the function it calls. A thread that wakes another has often just
// slept itself, so every cache line and page of code on the way is a miss.
[[gnu::hot, gnu::aligned(64)]] void barricade::wake(const void* key, std::uint32_t seen) noexcept {
  if ((seen & (waiters_bit | several_bit | continuations_bit)) == waiters_bit) {
    address_wake_all(key);
    return;
  }
  wake_several_kinds(key, seen);
}

[[gnu::noinline]] void barricade::wake_several_kinds(const void* key, std::uint32_t seen) noexcept {
  if ((seen & waiters_bit) != 0) {
    if ((seen & several_bit) != 0) {
      address_wake_relayed(key);
    } else {
      address_wake_all(key);
    }
  }
  if ((seen & continuations_bit) != 0) continuation_table::run_released(key);
}

bool barricade::wait_for(std::chrono::nanoseconds duration, const wait_options& options) noexcept {
  const std::uint32_t seen = word_.load(std::memory_order_acquire);
  if ((seen & lowered_bit) != 0) return true;
  const std::uint64_t deadline_ns = deadline_in(duration);
  return deadline_ns != 0 && wait_slow(seen, deadline_ns, options);
}

bool barricade::wait_until(std::chrono::steady_clock::time_point deadline,
                           const wait_options& options) noexcept {
  return wait_for(time_until(deadline), options);
}

bool barricade::on_lowered(barricade_continuation& registered) noexcept {
  if constexpr (detail::contracts) {
    detail::expects(registered.where != nullptr && registered.work.run != nullptr,
                    "a task without an executor or a function was given to on_lowered(): set "
                    "`where` and `work`");
  }
  std::uint32_t seen = word_.load(std::memory_order_acquire);
  if ((seen & lowered_bit) != 0) return false;
  registered.of = this;
  registered.generation = seen / generation_one;
  registered.armed.store(false, std::memory_order_relaxed);
  continuation_table::add(registered);
  // Tell the next lower() to look into the table, unless one has happened since.
  while ((seen & lowered_bit) == 0 && seen / generation_one == registered.generation &&
         !word_.compare_exchange_weak(seen, seen | continuations_bit, std::memory_order_acq_rel,
                                      std::memory_order_acquire)) {
  }
  continuation_table::arm(registered);
  return true;
}

bool barricade::wait_slow(std::uint32_t seen, std::uint64_t deadline_ns,
                          const wait_options& options) noexcept {
  const std::uint32_t generation = seen / generation_one;
  const auto let_through = [&]() noexcept {
    seen = word_.load(std::memory_order_acquire);
    return (seen & lowered_bit) != 0 || seen / generation_one != generation;
  };
  if (climb_ladder(let_through, options.spin)) return true;

  const observed_wait observed(options.reason ? options.reason : wait_reasons::barricade);
  std::uint32_t marks = (seen & waiters_bit) != 0 ? waiters_bit | several_bit : waiters_bit;
  for (;;) {
    // Set the bits only in the word just examined; if it has changed, examine it again.
    const std::uint32_t marked = seen | marks;
    if (marked != seen && !word_.compare_exchange_strong(seen, marked, std::memory_order_acquire,
                                                         std::memory_order_acquire)) {
      if (let_through()) return true;
      continue;
    }
    marks = waiters_bit;  // from now on the bit may be this thread's own
    const wait_status status = address_wait(word_, marked, deadline_ns);
    if (let_through()) return true;
    if (status == wait_status::timed_out) return false;
  }
}

}  // namespace overture
