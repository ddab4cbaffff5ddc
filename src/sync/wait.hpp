// The wait layer: sleeping until a 32-bit word changes, and waking who sleeps there. Everything in
// Overture that blocks does so through these functions.
//
// A waiter passes the value it saw; if the word differs by the time the layer looks, it does not
// sleep at all, so no wake is lost: change the word first, then wake. Every wait may return early
// without reason, so callers loop on their own condition. Wakes take the address as an opaque key
// and never read what lies there: the object may be gone, and a stray wake is harmless.
//
// To wake many, address_wake_all() pays for every one of them. address_wake_relayed() wakes the
// same threads, but pays for one: each who wakes wakes others, inside address_wait(). Like any
// other wake it may go astray, to an address where something else lives by now.
//
// Two implementations lie side by side. native_wait uses the operating system's own address wait,
// generic_wait a table of mutexes and runs anywhere. The build selects the one that the names
// without a prefix mean (OVERTURE_WAIT in CMake). Where the system cannot relay, relayed is all.
#pragma once

#include <cstdint>

#include "overture/base/atomic.hpp"

namespace overture {

enum class wait_status : std::uint8_t { woken, timed_out };

// How often the layer was really entered since the process began. Fast paths never get that far,
// and tests prove it by these numbers. Calls that wake are counted by the tests themselves: a count
// here would be a cache line more for each.
struct wait_counts {
  std::uint64_t waits = 0;   // threads that went to sleep
  std::uint64_t passes = 0;  // calls that passed a wake on
};

namespace native_wait {
// Sleeps while `word` is `expected`, until a wake or `deadline_ns` (on the clock of now_ns(), 0 =
// none). Any thread.
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

// The selected one.
namespace wait_layer = OVERTURE_WAIT_LAYER;
using wait_layer::address_wait;
using wait_layer::address_wake_all;
using wait_layer::address_wake_one;
using wait_layer::address_wake_relayed;

}  // namespace overture
