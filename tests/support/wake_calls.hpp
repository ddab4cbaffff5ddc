// SPDX-License-Identifier: Zlib
//
// Counts wake calls, for tests of paths that must make none. The library itself keeps no count,
// which would cost a cache line for every wake. Instead the linker wraps the library's functions,
// in executables that request it (overture_count_wakes in wake_calls.cmake).
#pragma once

#include <cstdint>

namespace overture::test {

// Since the program started, by all threads on either wait layer. Any thread.
[[nodiscard]] std::uint64_t wake_calls() noexcept;

}  // namespace overture::test
