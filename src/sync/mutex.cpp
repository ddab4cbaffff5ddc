#include "sync/mutex.hpp"

#include "overture/sync/wait_observer.hpp"
#include "sync/ladder.hpp"
#include "sync/wait.hpp"

namespace overture {
namespace {

// What it guards takes a fraction of a microsecond: a few looks more cost less than to yield.
constexpr spin_policy held_briefly{.pauses = 40};

}  // namespace

void mutex::lock_slow() noexcept {
  const auto taken = [this]() noexcept {
    return word_.load(std::memory_order_relaxed) == unlocked && try_lock();
  };
  if (climb_ladder(taken, held_briefly)) return;

  const observed_wait observed(wait_reasons::lock);
  // Whoever has slept takes the lock as contended: others may sleep still, and an unlock() that
  // wakes nobody costs less than one that forgets somebody.
  while (word_.exchange(contended, std::memory_order_acquire) != unlocked) {
    address_wait(word_, contended, 0);
  }
}

void mutex::wake_next(const void* key) noexcept {
  address_wake_one(key);
}

}  // namespace overture
