// A manual-reset event in four bytes: raised it holds whoever waits, lowered it lets everybody
// through.
//
//   barricade door{barricade::raised};
//   jobs.execute(...);                  // ends with door.lower()
//   door.wait();                        // everybody who waits goes through together
//
// Cost: is_lowered() is one load, wait() on a lowered barricade too. lower() without waiters is one
// read-modify-write and no system call. Waiters meet at no lock on their way out.
//
// The one word is the only truth (lowered bit, waiters bit, 30 bits of generation), so no lower()
// that races with a raise() is lost: calls take effect in the order of their operations on the
// word. lower() releases all who waited at that moment even if a raise() follows at once, because
// it moves the generation on. What a thread wrote before lower() is seen behind wait().
//
// A barricade may be destroyed as soon as every wait() has returned, even if the lower() that let
// them through is still on its way out: behind its operation on the word it uses the address as
// an opaque key only.
//
// Limits: the generation wraps after 2^30 times lowered during one sleep.
#pragma once

#include <chrono>
#include <cstdint>

#include "overture/atomic.hpp"
#include "overture/wait_observer.hpp"

namespace overture {

class barricade {
 public:
  enum initial_state : std::uint32_t { raised = 0, lowered = 1 };

  explicit barricade(initial_state state = raised) noexcept : word_(state) {}
  barricade(const barricade&) = delete;
  barricade& operator=(const barricade&) = delete;

  // Any thread.
  [[nodiscard]] bool is_lowered() const noexcept {
    return (word_.load(std::memory_order_acquire) & lowered_bit) != 0;
  }

  // Lets everybody through who waits now, and everybody who comes while it stays lowered.
  // Any thread, never blocks.
  void lower() noexcept;
  // Holds whoever comes from now on. Any thread, never blocks.
  void raise() noexcept;

  // Returns once the barricade is, or has been, lowered since the call. Any thread. `reason` is a
  // literal for the wait observer.
  void wait(const char* reason = wait_reasons::barricade) noexcept {
    const std::uint32_t seen = word_.load(std::memory_order_acquire);
    if ((seen & lowered_bit) == 0) (void)wait_slow(seen, 0, reason);
  }
  // As wait(), but gives up: false if time ran out first. Any thread.
  [[nodiscard]] bool wait_for(std::chrono::nanoseconds duration) noexcept;
  [[nodiscard]] bool wait_until(std::chrono::steady_clock::time_point deadline) noexcept;

 private:
  static constexpr std::uint32_t lowered_bit = 1;
  static constexpr std::uint32_t waiters_bit = 2;
  static constexpr std::uint32_t generation_one = 4;

  // `seen` is the raised word that the call began with: a generation that differs from its own
  // means that the barricade was lowered since. deadline_ns on the clock of now_ns(), 0 = none.
  // False if time ran out.
  bool wait_slow(std::uint32_t seen, std::uint64_t deadline_ns, const char* reason) noexcept;

  atomic<std::uint32_t> word_;
};

static_assert(sizeof(barricade) == 4);

}  // namespace overture
