// SPDX-License-Identifier: Zlib
//
// Replaces src/sync/wait.hpp: the kernel, as little of it as src/sync/wait.hpp promises.
//
// Comparing, queueing and waking are under one lock. A thread that would sleep ends instead, unless
// it sees at this very moment that it was woken; so a wake that is lost is a thread that ended
// asleep, which check_sleepers() finds. The executions in which it was woken, but did not see that,
// are left out: there is another one in which it sees it and goes on.
#pragma once

#include <cstdint>

#include "genmc/model.hpp"

namespace overture::sync_detail {

enum class wait_status : std::uint8_t { woken, timed_out };

inline wait_status address_wait(const atomic<std::uint32_t>& word, std::uint32_t expected,
                                std::uint64_t) noexcept {
  genmc::sleeper& own = genmc::sleepers[genmc::self];
  genmc::lock_kernel();
  const bool sleeps = word.load(std::memory_order_relaxed) == expected;
  if (sleeps) {
    own.key = &word;
    own.woken.store(false, std::memory_order_relaxed);
  }
  genmc::unlock_kernel();
  if (!sleeps || own.woken.load(std::memory_order_relaxed)) return wait_status::woken;
  own.asleep = true;
  genmc::end_thread();
}

inline void address_wake(const void* key, bool all) noexcept {
  genmc::lock_kernel();
  for (genmc::sleeper& each : genmc::sleepers) {
    if (each.key != key) continue;
    each.key = nullptr;
    each.woken.store(true, std::memory_order_relaxed);
    if (!all) break;
  }
  genmc::unlock_kernel();
}
inline void address_wake_one(const void* key) noexcept {
  address_wake(key, false);
}
inline void address_wake_all(const void* key) noexcept {
  address_wake(key, true);
}
inline void address_wake_relayed(const void* key) noexcept {
  address_wake(key, true);
}

}  // namespace overture::sync_detail
