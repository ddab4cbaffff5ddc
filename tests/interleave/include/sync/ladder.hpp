// SPDX-License-Identifier: Zlib
//
// Stands in for src/sync/ladder.hpp: a thread that would spin by the clock looks once, so that it
// sleeps after few steps. Spins by count are as shipped.
#pragma once

#include "overture/base/spin.hpp"
#include "overture/base/thread.hpp"

namespace overture::sync_detail {

template <class Ready>
[[nodiscard]] bool climb_ladder(Ready ready, spin_policy spin = spin_policy::ladder()) noexcept {
  if (spin.nanoseconds != 0) return ready();
  for (unsigned i = 0; i < spin.pauses; ++i) {
    if (ready()) return true;
    spin_hint();
  }
  for (unsigned i = 0; i < spin.yields; ++i) {
    if (ready()) return true;
    yield_thread();
  }
  return ready();
}

}  // namespace overture::sync_detail
