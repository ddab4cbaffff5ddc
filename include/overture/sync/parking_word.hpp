// A place for one thread to sleep until it is needed.
//
//   parking_word own;                 // the thread that parks here owns it
//   own.park();                       // sleeps until somebody unparks it
//
//   own.unpark();                     // any other thread; before or after the park()
//
// It holds at most one permit: unpark() leaves it, park() takes it or sleeps until there is one.
// Two unpark() before a park() are one. park() never returns without a permit.
//
// What it costs: unpark() is one exchange, and one system call if the thread sleeps; park() with
// the permit there is one exchange. What was written before unpark() is seen behind the park() that
// takes its permit.
//
// Why no wake-up is lost: parking and unparking are read-modify-writes of one word. Either park()
// sees the permit, or unpark() sees that the thread is parked and wakes it; between that and the
// sleep the kernel compares the word once more.
//
// It may be destroyed by its thread as soon as park() has returned: behind its operation on the
// word unpark() uses the address as an opaque key only. An unpark() that comes later must not find
// it gone, so whoever may still unpark it must be known to have ended. fork() as for barricade.
#pragma once

#include <chrono>
#include <cstdint>

#include "overture/base/atomic.hpp"
#include "overture/base/spin.hpp"
#include "overture/sync/wait_observer.hpp"

namespace overture {

class parking_word {
 public:
  constexpr parking_word() noexcept = default;
  parking_word(const parking_word&) = delete;
  parking_word& operator=(const parking_word&) = delete;

  // Takes the permit, or sleeps until there is one. One thread at a time.
  void park(const wait_options& options = {}) noexcept { (void)park_slow(0, options); }
  // As park(), but gives up: false if time ran out first; then no permit is used.
  [[nodiscard]] bool park_for(std::chrono::nanoseconds duration,
                              const wait_options& options = {}) noexcept;
  [[nodiscard]] bool park_until(std::chrono::steady_clock::time_point deadline,
                                const wait_options& options = {}) noexcept;
  // Takes the permit if it is there. The thread that parks.
  [[nodiscard]] bool try_park() noexcept;

  // Leaves a permit and wakes the thread if it sleeps. Any thread, never blocks.
  void unpark() noexcept;

 private:
  static constexpr std::uint32_t empty = 0;
  static constexpr std::uint32_t permit = 1;
  static constexpr std::uint32_t parked = 2;

  bool park_slow(std::uint64_t deadline_ns, const wait_options& options) noexcept;

  atomic<std::uint32_t> word_{empty};
};

static_assert(sizeof(parking_word) == 4);

}  // namespace overture
