// SPDX-License-Identifier: Zlib
//
// The calling thread and the processor it runs on.
#pragma once

namespace overture::base_detail {

// The number of the current processor, possibly out of date on return. Systems that do not say get
// the same number for every thread. Any thread; no system call.
[[nodiscard]] unsigned this_processor() noexcept;

// From now on the calling thread's timed waits end on time. By default Linux delays them by up to
// 50 microseconds to batch timers.
void sharpen_timers() noexcept;

}  // namespace overture::base_detail
