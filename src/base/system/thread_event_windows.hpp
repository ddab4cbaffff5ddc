// SPDX-License-Identifier: Zlib
//
// An event for each thread, for which it waits while one of its own reads or writes is under way.
#pragma once

#include "base/system/paths_windows.hpp"

namespace overture::base_detail {

// The calling thread's; the first call makes it. Null if the system refuses. Any thread.
[[nodiscard]] HANDLE thread_event() noexcept;

}  // namespace overture::base_detail
