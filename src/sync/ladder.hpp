// SPDX-License-Identifier: Zlib
//
// Spins as a spin_policy says: first checks with pauses, then with yields.
#pragma once

#include "overture/base/spin.hpp"
#include "overture/base/thread.hpp"
#include "sync/spin_time.hpp"

namespace overture::sync_detail {

// Returns true as soon as ready() does, false if it never did.
template <class Ready>
[[nodiscard]] bool climb_ladder(Ready ready, spin_policy spin = spin_policy::ladder()) noexcept {
  for (unsigned i = 0; i < spin.pauses; ++i) {
    if (ready()) return true;
    spin_hint();
  }
  spin_time spent(spin.nanoseconds);
  for (unsigned i = 0; !spent.over() || i < spin.yields; ++i) {
    if (ready()) return true;
    yield_thread();
  }
  return ready();
}

}  // namespace overture::sync_detail
