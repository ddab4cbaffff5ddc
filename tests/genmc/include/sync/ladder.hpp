// SPDX-License-Identifier: Zlib
//
// Replaces src/sync/ladder.hpp: a thread that would spin looks once.
#pragma once

#include "overture/base/spin.hpp"

namespace overture::sync_detail {

template <class Ready>
[[nodiscard]] bool climb_ladder(Ready ready, spin_policy = {}) noexcept {
  return ready();
}

}  // namespace overture::sync_detail
