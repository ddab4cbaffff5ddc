// How a thread calculates with floats is the host's: programs that are linked with -ffast-math run
// with subnormal numbers flushed to zero, and the standard library then writes them as 0 and reads
// them as 0; others round upwards. Within this scope subnormal numbers count and numbers are
// rounded to nearest, for this thread.
//
// Compilers do not see that calculations depend on it: only calls out of line belong inside.
#pragma once

#include <cstdint>

namespace overture::text {

class float_mode_scope {
 public:
  float_mode_scope() noexcept : before_(mode()) {
    if ((before_ & unusual) != 0) set_mode(before_ & ~unusual);
  }
  ~float_mode_scope() {
    if ((before_ & unusual) != 0) set_mode(before_);
  }
  float_mode_scope(const float_mode_scope&) = delete;
  float_mode_scope& operator=(const float_mode_scope&) = delete;

  // Whether a scope would change anything.
  [[nodiscard]] static bool is_needed() noexcept { return (mode() & unusual) != 0; }

 private:
#if defined(__SSE2__)
  using word = unsigned;
  // Zero for subnormal results and operands; the direction of rounding.
  static constexpr word unusual = 1u << 15 | 1u << 6 | 3u << 13;
  static word mode() noexcept { return __builtin_ia32_stmxcsr(); }
  static void set_mode(word to) noexcept { __builtin_ia32_ldmxcsr(to); }
#elif defined(__aarch64__)
  using word = std::uint64_t;
  static constexpr word unusual = word{1} << 24 | word{3} << 22;
  static word mode() noexcept {
    word now = 0;
    asm volatile("mrs %0, fpcr" : "=r"(now));
    return now;
  }
  static void set_mode(word to) noexcept { asm volatile("msr fpcr, %0" ::"r"(to) : "memory"); }
#else
  using word = unsigned;
  static constexpr word unusual = 0;
  static word mode() noexcept { return 0; }
  static void set_mode(word /*to*/) noexcept {}
#endif

  word before_;
};

}  // namespace overture::text
