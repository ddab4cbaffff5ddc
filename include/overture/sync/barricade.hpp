// SPDX-License-Identifier: Zlib
//
// A manual-reset event in four bytes: raised, it blocks; lowered, it lets everyone through.
//
//   barricade door{barricade::raised};
//   jobs.execute(...);                  // ends with door.lower()
//   door.wait();                        // all waiting threads go through together
//
// Use it when threads wait for one thing to happen: a level is loaded, a frame may begin, a device
// is ready. It can be raised again. If n things must happen, use countdown; for a value,
// shared_future; for one thread that sleeps until it is needed, parking_word; to wait on a
// condition of your own lock-free data, event_count.
//
// Cost
//   is_lowered()                      one load (acquire)
//   wait(), wait_for() when lowered   the same load
//   lower(), raise()                  one read-modify-write (acq_rel); if a thread sleeps, lower()
//                                     also makes one system call
//   wait() when raised                the spin policy, one read-modify-write, then a sleep in the
//                                     kernel; nothing more on the way out
// No handle, no mutex, no allocation, a trivial destructor. Polling threads share the cache line
// and never write to it. If many threads sleep, lower() pays for waking one; woken threads wake the
// rest (where the system supports it, see src/sync/wait.hpp).
//
// Guarantees
//   - Everything a thread wrote before lower() is visible after a wait() that it lets through, and
//     after an is_lowered() that returns true. This holds for every lower() up to then, including
//     those that found the barricade already lowered: each writes the word.
//   - All calls take effect in one order, that of their operations on the word. A raise() never
//     undoes a lower() that comes after it, or that was made by a thread that has seen the raise().
//   - lower() releases every thread that is waiting at that moment, even if raise() follows at once
//     and they are slow to wake; like SetEvent() followed by ResetEvent().
//   - wait() has no spurious returns.
//   - It may be destroyed once every wait() has returned, even if the lower() that let them through
//     has not: after its operation on the word, lower() uses the address only as an opaque key.
//
// Why no wake-up is lost
//   All state is in the word:
//     bit 0          lowered
//     bit 1          a thread sleeps or is about to
//     bit 2          a hint: several threads have waited at once
//     bit 3          continuations wait (they are in a table)
//     bits 4 to 31   the generation: how often it was lowered
//   A waiter remembers the generation it came with. Before it sleeps it sets bit 1, by a
//   compare-exchange on a word it has just seen raised in that generation, and it sleeps only while
//   the word has exactly that value: the kernel compares again, under the lock that wakes take too.
//   At the moment lower() changes the word, a waiter either
//     (a) has not set bit 1: its compare-exchange fails, and it examines the new word;
//     (b) has set bit 1 but does not sleep yet: the kernel finds a different value and returns; or
//     (c) sleeps: lower() itself cleared bit 1, so it knows of the sleeper and wakes it.
//   In each case the waiter then finds bit 0 set or a new generation, and returns. A raise() in
//   between changes neither the generation nor the argument.
//   Only the lower() that wakes clears bit 1; a waiter that times out leaves it set, which costs
//   the next lower() one needless call. raise() is a read-modify-write, because a plain store could
//   overwrite a lower() it has not seen. tests/interleave explores all interleavings of small cases
//   with this source.
//
// Limits: the generation has 28 bits, so a thread must not sleep through 2^28 lowerings. Threads of
// one process only. After fork() the child must not use a barricade that a thread of the parent was
// waiting on. Not fair: a later thread may go through first.
#pragma once

#include <chrono>
#include <cstdint>

#include "overture/base/api.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/executor.hpp"
#include "overture/base/prefetch.hpp"
#include "overture/base/spin.hpp"
#include "overture/sync/wait_observer.hpp"

namespace overture {

class barricade;

namespace sync_detail {
class continuation_table;
}

// A task that waits for a barricade without blocking a thread, see on_lowered(). Must stay alive
// and in place until `work` has begun.
struct barricade_continuation {
  task work;
  executor* where = nullptr;

  // Private to the barricade.
  const barricade* of = nullptr;
  barricade_continuation* next = nullptr;
  std::uint32_t generation = 0;
  atomic<bool> armed{false};
};

class OVERTURE_API barricade {
 public:
  enum initial_state : std::uint32_t { raised = 0, lowered = 1 };

  explicit constexpr barricade(initial_state state = raised) noexcept : word_(state) {}
  barricade(const barricade&) = delete;
  barricade& operator=(const barricade&) = delete;

  // Any thread.
  [[nodiscard]] bool is_lowered() const noexcept {
    return (word_.load(std::memory_order_acquire) & lowered_bit) != 0;
  }

  // Releases all waiting threads, and lets all others through until the next raise(). Any thread,
  // never blocks.
  void lower() noexcept {
    // For writing: the waiter's core has the line, and a plain load would fetch it twice.
    prefetch_to_write(&word_);
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    std::uint32_t next = 0;
    // Writes even if already lowered: later waiters must see what this thread wrote before.
    do {
      next = (seen | lowered_bit) & ~(waiters_bit | continuations_bit);
      if ((seen & lowered_bit) == 0) next += generation_one;
    } while (!word_.compare_exchange_weak(seen, next, std::memory_order_acq_rel,
                                          std::memory_order_relaxed));
    // A waiter may have destroyed the barricade by now: from here on only the address is used.
    if ((seen & (waiters_bit | continuations_bit)) != 0) wake(&word_, seen);
  }
  // Blocks every wait() from now on. Any thread, never blocks.
  void raise() noexcept {
    // A plain store could overwrite a lower() that this thread has not seen.
    word_.fetch_and(~lowered_bit, std::memory_order_acq_rel);
  }

  // Returns once the barricade is lowered, or has been lowered since the call. Any thread.
  void wait(const wait_options& options = {}) noexcept {
    const std::uint32_t seen = word_.load(std::memory_order_acquire);
    if ((seen & lowered_bit) == 0) (void)wait_slow(seen, 0, options);
  }
  // As wait(), but return false if the time runs out first. Any thread.
  [[nodiscard]] bool wait_for(std::chrono::nanoseconds duration,
                              const wait_options& options = {}) noexcept;
  [[nodiscard]] bool wait_until(std::chrono::steady_clock::time_point deadline,
                                const wait_options& options = {}) noexcept;
  // Registers a task: registered.work runs on registered.where once the barricade is lowered.
  // Returns false and does nothing if it is lowered already. The barricade must live until the work
  // has begun. Meant for coroutines (overture/jobs/coroutine.hpp) and custom executors. Any thread.
  [[nodiscard]] bool on_lowered(barricade_continuation& registered) noexcept;

 private:
  friend class sync_detail::continuation_table;
  static constexpr std::uint32_t lowered_bit = 1;
  static constexpr std::uint32_t waiters_bit = 2;
  // Never cleared: where several threads have waited at once, they will again.
  static constexpr std::uint32_t several_bit = 4;
  static constexpr std::uint32_t continuations_bit = 8;
  static constexpr std::uint32_t generation_one = 16;

  // `seen` is the word as lower() found it.
  static void wake(const void* key, std::uint32_t seen) noexcept;
  // All cases but a single sleeper, kept apart to keep that path short.
  static void wake_several_kinds(const void* key, std::uint32_t seen) noexcept;
  [[nodiscard]] bool has_let_through(std::uint32_t generation) const noexcept {
    const std::uint32_t seen = word_.load(std::memory_order_seq_cst);
    return (seen & lowered_bit) != 0 || seen / generation_one != generation;
  }
  // `seen` is the raised word at the start of the call; a different generation means that the
  // barricade has been lowered since. `deadline_ns` is on the clock of now_ns(), 0 = none. False if
  // the time ran out.
  bool wait_slow(std::uint32_t seen, std::uint64_t deadline_ns,
                 const wait_options& options) noexcept;

  atomic<std::uint32_t> word_;
};

static_assert(sizeof(barricade) == 4);

}  // namespace overture
