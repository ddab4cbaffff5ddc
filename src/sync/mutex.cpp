// SPDX-License-Identifier: Zlib
#include "sync/mutex.hpp"

#include "overture/sync/wait_observer.hpp"
#include "sync/ladder.hpp"
#include "sync/wait.hpp"

namespace overture::sync_detail {
namespace {

// Critical sections take a fraction of a microsecond: a few more pauses are cheaper than a yield.
constexpr spin_policy held_briefly{.pauses = 40};

}  // namespace

void mutex::lock_slow() noexcept {
  const auto taken = [this]() noexcept {
    return word_.load(std::memory_order_relaxed) == unlocked && try_lock();
  };
  if (climb_ladder(taken, held_briefly)) return;

  const observed_wait observed(wait_reasons::lock);
  // A thread that has slept takes the lock as contended, because others may still sleep: a needless
  // wake is better than a lost one.
  while (word_.exchange(contended, std::memory_order_acquire) != unlocked) {
    address_wait(word_, contended, 0);
  }
}

void mutex::wake_next(const void* key) noexcept {
  address_wake_one(key);
}

}  // namespace overture::sync_detail
