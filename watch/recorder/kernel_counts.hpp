// SPDX-License-Identifier: Zlib
//
// What the kernel counts for a thread, from its files in /proc. The recorder reads it for threads
// that end, the command for those of a program that it ends.
#pragma once

#include "watch/recorder/layout.hpp"

namespace overture::watch {

// `pid`: 0 for this process. The name is what the thread is called now.
void read_kernel_counts(thread_entry& entry, std::uint64_t now_ns, std::uint64_t pid = 0) noexcept;
void set_name(thread_entry& entry, const char* name) noexcept;

}  // namespace overture::watch
