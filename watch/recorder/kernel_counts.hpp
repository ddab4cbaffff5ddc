// SPDX-License-Identifier: Zlib
//
// What the kernel counts for a thread of this process, from its files in /proc.
#pragma once

#include "watch/recorder/layout.hpp"

namespace overture::watch {

void read_kernel_counts(thread_entry& entry, std::uint64_t now_ns) noexcept;

}  // namespace overture::watch
