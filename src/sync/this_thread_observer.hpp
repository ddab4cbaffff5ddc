// SPDX-License-Identifier: Zlib
//
// The calling thread's wait observer, for the library itself: one load.
#pragma once

#include "overture/sync/wait_observer.hpp"

namespace overture::sync_detail {

inline constinit thread_local wait_observer* this_thread_observer = nullptr;

}  // namespace overture::sync_detail
