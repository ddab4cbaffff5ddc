// Programs that are linked with -ffast-math run with subnormal numbers flushed to zero, and the
// standard library then writes them as 0 and reads them as 0. Within this scope they count, for
// this thread.
//
// Compilers do not see that calculations depend on it: only calls out of line belong inside.
#pragma once

#include <cstdint>

namespace overture::text {

class subnormals_scope {
 public:
  subnormals_scope() noexcept : before_(mode()) {
    if ((before_ & flushing) != 0) set_mode(before_ & ~flushing);
  }
  ~subnormals_scope() {
    if ((before_ & flushing) != 0) set_mode(before_);
  }
  subnormals_scope(const subnormals_scope&) = delete;
  subnormals_scope& operator=(const subnormals_scope&) = delete;

 private:
#if defined(__SSE2__)
  using word = unsigned;
  static constexpr word flushing = 1u << 15 | 1u << 6;  // of results, of operands
  static word mode() noexcept { return __builtin_ia32_stmxcsr(); }
  static void set_mode(word to) noexcept { __builtin_ia32_ldmxcsr(to); }
#elif defined(__aarch64__)
  using word = std::uint64_t;
  static constexpr word flushing = word{1} << 24;
  static word mode() noexcept {
    word now = 0;
    asm volatile("mrs %0, fpcr" : "=r"(now));
    return now;
  }
  static void set_mode(word to) noexcept { asm volatile("msr fpcr, %0" ::"r"(to) : "memory"); }
#else
  using word = unsigned;
  static constexpr word flushing = 0;
  static word mode() noexcept { return 0; }
  static void set_mode(word /*to*/) noexcept {}
#endif

  word before_;
};

}  // namespace overture::text
