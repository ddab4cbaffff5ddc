// SPDX-License-Identifier: Zlib
//
// System calls of the recorder itself, past all functions that are watched.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

namespace overture::watch {

// As syscall(): -1 and errno if it fails.
inline long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0) noexcept {
  return ::syscall(number, a, b, c, d);
}

inline int system_open(const char* path, int flags, int mode = 0) noexcept {
  return static_cast<int>(
      system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), flags | O_CLOEXEC, mode));
}
inline void system_close(int file) noexcept {
  (void)system_call(SYS_close, file);
}
inline long thread_number() noexcept {
  return system_call(SYS_gettid);
}

// The beginning of a small file, ended by a zero. Empty if it cannot be read.
template <std::size_t Room>
void read_small_file(const char* path, char (&text)[Room]) noexcept {
  long bytes = 0;
  if (const int file = system_open(path, O_RDONLY); file >= 0) {
    bytes = system_call(SYS_read, file, reinterpret_cast<long>(text), Room - 1);
    system_close(file);
  }
  text[bytes > 0 ? bytes : 0] = '\0';
}

}  // namespace overture::watch
