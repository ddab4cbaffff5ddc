// SPDX-License-Identifier: Zlib
//
// How a thread spins before it sleeps: a few checks with pauses, then a few with yields.
//
//   while (!ready()) spin_hint();                       // a short loop of your own
//   door.wait();                                        // the default policy, right for most waits
//   door.wait({.spin = spin_policy::none()});           // sleep at once
//   door.wait({.spin = {.pauses = 2000, .yields = 0, .nanoseconds = 0}});  // on a dedicated core
//
// Waking a sleeping thread takes 5 to 20 microseconds, so spinning is cheaper for waits up to about
// that long. Threads that wait for each other in turns need a little more: once one has slept, the
// other must keep spinning until the first is awake, or from then on both sleep at every turn. The
// default therefore spins for about as long as a wake takes. No policy uses timed sleeps: they only
// delay the thread's reaction.
#pragma once

#include <cstdint>

#include "overture/base/detail/compiler.hpp"

namespace overture {

// Tells the processor that this is a spin loop: saves power and gives way to a sibling hyperthread.
// Any thread.
inline void spin_hint() noexcept {
  detail::pause();
}

// First checks `pauses` times with spin_hint() in between, then yields in between, at least
// `yields` times and for at least `nanoseconds`. Then the thread sleeps. A yield that takes half a
// millisecond gave a time slice to another program: the thread then sleeps at once, and does not
// yield for the next 50 ms.
struct spin_policy {
  std::uint16_t pauses = 4;
  std::uint16_t yields = 16;
  std::uint32_t nanoseconds = 25'000;  // 0: never reads the clock, and yields as often as told

  [[nodiscard]] static constexpr spin_policy none() noexcept { return {0, 0, 0}; }
  [[nodiscard]] static constexpr spin_policy ladder() noexcept { return {}; }
};

// How a blocking call waits, and the reason it reports to the wait_observer.
struct wait_options {
  const char* reason = nullptr;  // a literal; null: the kind of object, such as "barricade"
  spin_policy spin = spin_policy::ladder();
};

}  // namespace overture
