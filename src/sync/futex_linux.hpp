// The futex system call: what it returns, or the negative error number. The tests of wait_linux.cpp
// have a header of this name with a futex that lies.
#pragma once

#include <sys/syscall.h>

#include <cstdint>

#if !defined(__x86_64__)
#include <unistd.h>

#include <cerrno>
#endif

namespace overture {

// `fourth` is a time or a count, as the operation has it.
inline long futex_call(const void* address, int operation, std::uint32_t value,
                       const void* fourth = nullptr, const void* second_address = nullptr,
                       std::uint32_t bits = 0) noexcept {
#if defined(__x86_64__)
  // In place, as the C library has it in its own semaphores: the way through its syscall() is 2 to
  // 3 % of the waking of a thread (docs/measurements.md).
  long result = SYS_futex;
  register const void* const r10 __asm__("r10") = fourth;
  register const void* const r8 __asm__("r8") = second_address;
  register const std::uint64_t r9 __asm__("r9") = bits;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(address), "S"(operation), "d"(value), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
#else
  const long result = syscall(SYS_futex, address, operation, value, fourth, second_address, bits);
  return result == -1 ? -errno : result;
#endif
}

}  // namespace overture
