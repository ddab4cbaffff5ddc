// SPDX-License-Identifier: Zlib
//
// What ended each wait, by address and order: the last release of the address before the wait
// ended; of a join the thread's end.
#pragma once

#include <vector>

#include "watch/model/watched.hpp"

namespace overture::watch {

[[nodiscard]] std::vector<watched_wake> find_wakes(const std::vector<watched_thread>& threads);

}  // namespace overture::watch
