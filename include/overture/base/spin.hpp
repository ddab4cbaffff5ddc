// What a thread does before it sleeps: look a few times, then let others run a few times.
//
//   while (!ready()) spin_hint();                       // one's own loop, a few rounds at most
//   door.wait();                                        // the ladder that fits most
//   door.wait({.spin = spin_policy::none()});           // to the kernel at once
//   door.wait({.spin = {.pauses = 2000, .yields = 0, .nanoseconds = 0}}); // has a core of its own
//
// A wake through the kernel takes 5 to 20 microseconds; a wait that ends within about that time is
// cheaper if the thread has not slept. Two threads that wait for each other in turns need more:
// once one of them has slept, the other must not give up before the first has woken, or both sleep
// at each turn from then on. So the default spins for about as long as a wake takes. It is measured
// on two cores (docs/measurements.md): as fast as pure spinning while the other side runs, and
// faster than sleeping at once when there are more threads than cores. There is no timed sleep in
// any policy: that would only add to the time until the thread notices.
#pragma once

#include <cstdint>

namespace overture {

// Tells the processor that this is a spin loop, so that it saves power and leaves a sibling thread
// the core. Any thread.
inline void spin_hint() noexcept {
#if defined(__x86_64__) || defined(_M_X64)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

// How often to look, with a pause between; then how often at least, and for how long at least, with
// the rest of the time slice given away between. After that the thread sleeps.
struct spin_policy {
  std::uint16_t pauses = 4;
  std::uint16_t yields = 16;
  std::uint32_t nanoseconds = 25'000;  // 0: the numbers alone count, and nobody looks at a clock

  [[nodiscard]] static constexpr spin_policy none() noexcept { return {0, 0, 0}; }
  [[nodiscard]] static constexpr spin_policy ladder() noexcept { return {}; }
};

// How a blocking call waits, and what it tells the wait observer.
struct wait_options {
  const char* reason = nullptr;  // a literal; null: the name of what is waited on
  spin_policy spin = spin_policy::ladder();
};

}  // namespace overture
