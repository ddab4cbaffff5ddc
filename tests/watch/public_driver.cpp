// SPDX-License-Identifier: Zlib
//
// Stands in for a driver of graphics, by the names of functions of SDL and OpenGL.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <ctime>

namespace {

constexpr std::int64_t refresh_ns = 16'666'667;

std::int64_t ns_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

// Waits for the next refresh of the screen: in the kernel, as in an ioctl() of the display, or by
// looks at the clock.
extern "C" __attribute__((visibility("default"))) long SDL_GL_SwapWindow(const bool* spins) {
  const std::int64_t next = (ns_of(CLOCK_MONOTONIC) / refresh_ns + 1) * refresh_ns;
  if (*spins) {
    while (ns_of(CLOCK_MONOTONIC) < next) {
    }
    return 0;
  }
  const timespec until{.tv_sec = next / 1'000'000'000, .tv_nsec = next % 1'000'000'000};
  syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  return 0;
}

extern "C" __attribute__((visibility("default"))) void glCompileShader(unsigned) {
  constexpr std::int64_t compile_ns = 5'000'000;
  const std::int64_t begin = ns_of(CLOCK_THREAD_CPUTIME_ID);
  volatile unsigned code = 0;
  while (ns_of(CLOCK_THREAD_CPUTIME_ID) - begin < compile_ns) {
    for (unsigned i = 0; i < 100'000; ++i) code = code * 31 + i;
  }
}
