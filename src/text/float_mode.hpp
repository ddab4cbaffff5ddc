// SPDX-License-Identifier: Zlib
//
// The floating-point mode of a thread belongs to the host. Programs linked with -ffast-math flush
// subnormal numbers to zero, and the standard library then writes and reads them as 0; others round
// upwards. Within this scope the thread rounds to nearest and keeps subnormal numbers.
//
// Compilers do not know that arithmetic depends on the mode and move it across the scope's ends:
// put only calls that are not inlined inside.
#pragma once

#include <cstdint>

#if defined(__SSE2__) || defined(_M_X64)
#include <xmmintrin.h>
#endif

namespace overture::text {

class float_mode_scope {
 public:
  float_mode_scope() noexcept : saved_(mode()) {
    if ((saved_ & nondefault) != 0) set_mode(saved_ & ~nondefault);
  }
  ~float_mode_scope() {
    if ((saved_ & nondefault) != 0) set_mode(saved_);
  }
  float_mode_scope(const float_mode_scope&) = delete;
  float_mode_scope& operator=(const float_mode_scope&) = delete;

  // Whether a scope would change the mode.
  [[nodiscard]] static bool is_needed() noexcept { return (mode() & nondefault) != 0; }

 private:
#if defined(__SSE2__) || defined(_M_X64)
  using word = unsigned;
  // Flush to zero, denormals are zero, and the rounding direction.
  static constexpr word nondefault = 1u << 15 | 1u << 6 | 3u << 13;
  static word mode() noexcept { return _mm_getcsr(); }
  static void set_mode(word to) noexcept { _mm_setcsr(to); }
#elif defined(__GNUC__) && defined(__aarch64__)
  using word = std::uint64_t;
  static constexpr word nondefault = word{1} << 24 | word{3} << 22;
  static word mode() noexcept {
    word now = 0;
    asm volatile("mrs %0, fpcr" : "=r"(now));
    return now;
  }
  static void set_mode(word to) noexcept { asm volatile("msr fpcr, %0" ::"r"(to) : "memory"); }
#else
  using word = unsigned;
  static constexpr word nondefault = 0;
  static word mode() noexcept { return 0; }
  static void set_mode(word /*to*/) noexcept {}
#endif

  word saved_;
};

}  // namespace overture::text
