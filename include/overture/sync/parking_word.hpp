// SPDX-License-Identifier: Zlib
//
// Puts one thread to sleep until it is needed.
//
//   parking_word own;                 // belongs to the thread that parks
//   own.park();                       // sleeps until unparked
//
//   own.unpark();                     // from any other thread, before or after the park()
//
// It holds at most one permit. unpark() leaves the permit; park() takes it, or sleeps until there
// is one. Two calls of unpark() before a park() count as one. park() has no spurious returns.
//
// Cost: unpark() is one exchange, and one system call if the thread sleeps; park() with a permit is
// one exchange. Everything written before unpark() is visible after the park() that takes its
// permit.
//
// Why no wake-up is lost: park() and unpark() are read-modify-writes of one word. Either park()
// sees the permit, or unpark() sees the parked thread and wakes it; before the thread sleeps the
// kernel compares the word again.
//
// Its thread may destroy it once park() has returned: after its operation on the word, unpark()
// uses the address only as an opaque key. But a later unpark() must not find it gone, so make sure
// that no thread can still call unpark(). fork() as for barricade.
#pragma once

#include <chrono>
#include <cstdint>

#include "overture/base/api.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/spin.hpp"
#include "overture/sync/wait_observer.hpp"

namespace overture {

class OVERTURE_API parking_word {
 public:
  constexpr parking_word() noexcept = default;
  parking_word(const parking_word&) = delete;
  parking_word& operator=(const parking_word&) = delete;

  // Takes the permit; sleeps until there is one. One thread at a time.
  void park(const wait_options& options = {}) noexcept { (void)park_slow(0, options); }
  // As park(), but return false if the time runs out first; then no permit is taken.
  [[nodiscard]] bool park_for(std::chrono::nanoseconds duration,
                              const wait_options& options = {}) noexcept;
  [[nodiscard]] bool park_until(std::chrono::steady_clock::time_point deadline,
                                const wait_options& options = {}) noexcept;
  // Takes the permit if there is one; never sleeps. Only the thread that parks.
  [[nodiscard]] bool try_park() noexcept;

  // Leaves a permit; wakes the thread if it sleeps. Any thread, never blocks.
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
