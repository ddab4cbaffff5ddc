#include "overture/barricade.hpp"

#include "overture/thread.hpp"
#include "sync/ladder.hpp"
#include "sync/wait.hpp"

namespace overture {

void barricade::lower() noexcept {
  const void* const key = &word_;
  std::uint32_t seen = word_.load(std::memory_order_relaxed);
  std::uint32_t next = 0;
  // Writes even if it is lowered already: whoever waits later must see what this thread wrote too.
  do {
    next = (seen | lowered_bit) & ~waiters_bit;
    if ((seen & lowered_bit) == 0) next += generation_one;
  } while (!word_.compare_exchange_weak(seen, next, std::memory_order_acq_rel,
                                        std::memory_order_relaxed));
  // From here on a waiter may have destroyed the barricade.
  if ((seen & waiters_bit) != 0) address_wake_all(key);
}

void barricade::raise() noexcept {
  // A plain store could undo a lower() that has just released its waiters but not yet been seen.
  word_.fetch_and(~lowered_bit, std::memory_order_acq_rel);
}

bool barricade::wait_for(std::chrono::nanoseconds duration) noexcept {
  const std::uint32_t seen = word_.load(std::memory_order_acquire);
  if ((seen & lowered_bit) != 0) return true;
  if (duration <= std::chrono::nanoseconds::zero()) return false;
  const std::uint64_t deadline_ns = now_ns() + static_cast<std::uint64_t>(duration.count());
  return wait_slow(seen, deadline_ns, wait_reasons::barricade);
}

bool barricade::wait_until(std::chrono::steady_clock::time_point deadline) noexcept {
  // By the difference, because the zeros of the two clocks need not be the same.
  const auto now = std::chrono::steady_clock::now();
  return wait_for(deadline > now ? deadline - now : std::chrono::nanoseconds::zero());
}

bool barricade::wait_slow(std::uint32_t seen, std::uint64_t deadline_ns,
                          const char* reason) noexcept {
  const std::uint32_t generation = seen / generation_one;
  const auto let_through = [&]() noexcept {
    seen = word_.load(std::memory_order_acquire);
    return (seen & lowered_bit) != 0 || seen / generation_one != generation;
  };
  if (climb_ladder(let_through)) return true;

  const observed_wait observed(reason);
  for (;;) {
    // Sets the waiters bit only on the word it has judged; a word that changed is judged anew.
    const bool announced =
        (seen & waiters_bit) != 0 ||
        word_.compare_exchange_strong(seen, seen | waiters_bit, std::memory_order_acquire,
                                      std::memory_order_acquire);
    if (announced &&
        address_wait(word_, seen | waiters_bit, deadline_ns) == wait_status::timed_out) {
      return let_through();
    }
    if (let_through()) return true;
  }
}

}  // namespace overture
