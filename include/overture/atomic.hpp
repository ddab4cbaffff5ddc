// The one name for atomics in Overture, public headers included.
//
// In a shipped program this is std::atomic and nothing else. Test binaries that count shared
// writes, or that explore interleavings, put a folder with their own overture/atomic.hpp first on
// the include path and compile the very same sources over it.
#pragma once

#include <atomic>

namespace overture {

template <class T>
using atomic = std::atomic<T>;

// Tells the processor that this is a spin loop.
inline void spin_pause() noexcept {
#if defined(__x86_64__) || defined(_M_X64)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

}  // namespace overture
