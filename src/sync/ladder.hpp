// SPDX-License-Identifier: Zlib
//
// Spins as a spin_policy says: first checks with pauses, then with yields.
//
// A yield gives the processor to any thread that is ready. If that is another program's, the yield
// returns when its time slice is over, milliseconds later; a sleeping thread would have been woken
// at once. So a slow yield ends the spin, and for a while the thread sleeps instead of yielding.
#pragma once

#include <cstdint>

#include "overture/base/spin.hpp"
#include "overture/base/thread.hpp"

namespace overture::sync_detail {

constexpr std::uint64_t slow_yield_ns = 500'000;         // shorter than a time slice
constexpr std::uint64_t without_yields_ns = 50'000'000;  // at most one slice lost in 50 ms

inline constinit thread_local std::uint64_t no_yields_until_ns = 0;

struct system_yields {
  static void yield() noexcept { yield_thread(); }
  [[nodiscard]] static std::uint64_t now() noexcept { return now_ns(); }
  [[nodiscard]] static std::uint64_t& none_until() noexcept { return no_yields_until_ns; }
};

// The part of the ladder that reads the clock.
template <class Yields, class Ready>
[[nodiscard]] bool yield_until(Ready ready, spin_policy spin) noexcept {
  if (ready()) return true;
  std::uint64_t now = Yields::now();
  if (now < Yields::none_until()) return false;
  const std::uint64_t end = now + spin.nanoseconds;
  for (unsigned i = 0; now < end || i < spin.yields; ++i) {
    const std::uint64_t before = now;
    Yields::yield();
    now = Yields::now();
    if (now - before >= slow_yield_ns) {
      Yields::none_until() = now + without_yields_ns;
      break;
    }
    if (ready()) return true;
  }
  return ready();
}

// Returns true as soon as ready() does, false if it never did.
template <class Yields = system_yields, class Ready>
[[nodiscard]] bool climb_ladder(Ready ready, spin_policy spin = spin_policy::ladder()) noexcept {
  for (unsigned i = 0; i < spin.pauses; ++i) {
    if (ready()) return true;
    spin_hint();
  }
  if (spin.nanoseconds != 0) return yield_until<Yields>(ready, spin);
  for (unsigned i = 0; i < spin.yields; ++i) {
    if (ready()) return true;
    Yields::yield();
  }
  return ready();
}

}  // namespace overture::sync_detail
