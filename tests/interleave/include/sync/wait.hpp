// SPDX-License-Identifier: Zlib
//
// Replaces src/sync/wait.hpp: the explorer's wait layer.
#pragma once

#include <cstdint>
#include <new>

#include "overture/base/atomic.hpp"
#include "sync/relay.hpp"

namespace overture::sync_detail {

enum class wait_status : std::uint8_t { woken, timed_out };

// One queue for all addresses, with the shipped count. Each thread passes on as few wakes as
// possible, so that even a handful of threads form a chain.
inline relay_count relay;
constexpr std::uint32_t passed_on_max = 1;

// What now_ns() returns: at least every deadline that has passed.
inline std::uint64_t clock_ns = 1;

// Before each execution.
OVERTURE_UNWATCHED inline void begin_waits_anew() noexcept {
  relay.~relay_count();
  new (&relay) relay_count;
  clock_ns = 1;
}

OVERTURE_UNWATCHED inline wait_status address_wait(const atomic<std::uint32_t>& word,
                                                   std::uint32_t expected,
                                                   std::uint64_t deadline_ns) noexcept {
  interleave::step(&word, word.latest(), "wait");
  switch (interleave::sleep(&word, word.latest() == expected, deadline_ns != 0)) {
    case interleave::slept::not_at_all:
      return wait_status::woken;
    case interleave::slept::too_long:
      if (clock_ns < deadline_ns) clock_ns = deadline_ns;
      return wait_status::timed_out;
    case interleave::slept::until_woken:
      break;
  }
  const std::uint32_t threads = relay.take(passed_on_max);
  if (threads != 0) interleave::wake_moved(threads);
  return wait_status::woken;
}
inline void address_wake_one(const void* key) noexcept {
  interleave::wake(key, false);
}
inline void address_wake_all(const void* key) noexcept {
  interleave::wake(key, true);
}
inline void address_wake_relayed(const void* key) noexcept {
  const unsigned moved = interleave::move_sleepers(key);
  if (moved == 0) return;
  relay.add_all_but_one(moved);
  interleave::wake_moved(1);
}

}  // namespace overture::sync_detail
