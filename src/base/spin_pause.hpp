// Tells the processor that this is a spin loop.
#pragma once

namespace overture {

inline void spin_pause() noexcept {
#if defined(__x86_64__) || defined(_M_X64)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

}  // namespace overture
