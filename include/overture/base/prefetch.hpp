// SPDX-License-Identifier: Zlib
//
// Prefetching: fetch a cache line before it is needed.
//
//   prefetch_to_write(address);     // some time before writing there
//   prefetch_to_read(address);      // some time before reading there
//
// Each fetches the one cache line that contains the address. They have no visible effect, never
// fault, whatever the address, and do nothing on compilers without support. Cost: one instruction,
// and possibly a useful line evicted. Any thread.
//
// Mark a function that only prefetches gnu::always_inline: GCC 12 takes it for one without effects
// and drops the calls.
#pragma once

#include "overture/base/detail/compiler.hpp"

namespace overture {

inline void prefetch_to_read([[maybe_unused]] const void* address) noexcept {
#if defined(OVERTURE_GNU)
  __builtin_prefetch(address);
#endif
}

// Also takes ownership of the line from other cores, which spares the write a second round trip. On
// x86-64 this is PREFETCHW in assembly: every x86-64 processor runs it (Intel's before 2014 ignore
// it), but compilers emit it only with -mprfchw and fall back to a read prefetch otherwise.
inline void prefetch_to_write([[maybe_unused]] const void* address) noexcept {
#if defined(OVERTURE_GNU) && defined(__x86_64__)
  asm volatile("prefetchw {(%0)|[%0]}" : : "r"(address));  // both assembler dialects (-masm)
#elif defined(OVERTURE_GNU)
  __builtin_prefetch(address, 1);
#endif
}

}  // namespace overture
