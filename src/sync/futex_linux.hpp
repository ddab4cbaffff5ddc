// SPDX-License-Identifier: Zlib
//
// The futex system call. Returns its result, or the negative errno. The tests of wait_linux.cpp
// replace this header with a futex that lies.
#pragma once

#include <sys/syscall.h>

#include <cstdint>

#if !defined(__x86_64__)
#include <unistd.h>

#include <cerrno>
#endif

namespace overture::sync_detail {

// `fourth` is a timeout or a count, depending on the operation.
inline long futex_call(const void* address, int operation, std::uint32_t value,
                       const void* fourth = nullptr, const void* second_address = nullptr,
                       std::uint32_t bits = 0) noexcept {
#if defined(__x86_64__)
  // Inline, as in glibc's own semaphores: going through syscall() would add 2 to 3 % to a wake.
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

}  // namespace overture::sync_detail
