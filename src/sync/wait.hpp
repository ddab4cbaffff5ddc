// SPDX-License-Identifier: Zlib
//
// The wait layer: sleep until a 32-bit word changes, and wake the sleepers. Everything in Overture
// that blocks does so through these functions.
//
// A waiter passes the value it saw. If the word differs when the layer checks, it does not sleep,
// so no wake is lost as long as the other side first changes the word and then wakes. Every wait
// may return spuriously: callers loop on their own condition. Wakes take the address as an opaque
// key and never read from it: the object may be gone, and a stray wake is harmless.
//
// To wake many, address_wake_all() pays for all of them. address_wake_relayed() wakes the same
// threads but pays for one: each woken thread wakes others, inside address_wait(). Like any wake it
// may come late, to an address where another object now lives.
//
// A thread's wait observer is told where the thread sleeps and where it wakes others. Without an
// observer that costs one load.
//
// There are two implementations. native_wait uses the operating system's address wait; generic_wait
// uses a table of mutexes and runs anywhere. The build chooses which one the unqualified names mean
// (OVERTURE_WAIT in CMake). Where the system cannot relay, relayed means all.
#pragma once

#include <cstdint>

#include "overture/base/atomic.hpp"
#include "sync/this_thread_observer.hpp"

namespace overture::sync_detail {

enum class wait_status : std::uint8_t { woken, timed_out };

// Counts since the process started. Tests use them to prove that fast paths never get this far.
// Tests count wake calls themselves: a count here would cost one more cache line per wake.
struct wait_counts {
  std::uint64_t waits = 0;   // calls that went to sleep
  std::uint64_t passes = 0;  // calls that passed a wake on
};

namespace native_wait {
// Sleeps while `word` equals `expected`, until a wake or `deadline_ns` (on the clock of now_ns(), 0
// = none). Any thread.
wait_status address_wait(const atomic<std::uint32_t>& word, std::uint32_t expected,
                         std::uint64_t deadline_ns) noexcept;
void address_wake_one(const void* address) noexcept;
void address_wake_all(const void* address) noexcept;
void address_wake_relayed(const void* address) noexcept;
[[nodiscard]] wait_counts counts() noexcept;
}  // namespace native_wait

namespace generic_wait {
wait_status address_wait(const atomic<std::uint32_t>& word, std::uint32_t expected,
                         std::uint64_t deadline_ns) noexcept;
void address_wake_one(const void* address) noexcept;
void address_wake_all(const void* address) noexcept;
void address_wake_relayed(const void* address) noexcept;
[[nodiscard]] wait_counts counts() noexcept;
}  // namespace generic_wait

// The selected implementation.
namespace wait_layer = OVERTURE_WAIT_LAYER;

inline wait_status address_wait(const atomic<std::uint32_t>& word, std::uint32_t expected,
                                std::uint64_t deadline_ns) noexcept {
  if (wait_observer* const told = this_thread_observer) told->sleeps_at(&word);
  return wait_layer::address_wait(word, expected, deadline_ns);
}
inline void address_wake_one(const void* address) noexcept {
  if (wait_observer* const told = this_thread_observer) told->wakes(address);
  wait_layer::address_wake_one(address);
}
inline void address_wake_all(const void* address) noexcept {
  if (wait_observer* const told = this_thread_observer) told->wakes(address);
  wait_layer::address_wake_all(address);
}
inline void address_wake_relayed(const void* address) noexcept {
  if (wait_observer* const told = this_thread_observer) told->wakes(address);
  wait_layer::address_wake_relayed(address);
}

}  // namespace overture::sync_detail
