// A manual-reset event in four bytes: raised it holds whoever waits, lowered it lets everybody
// through.
//
//   barricade door{barricade::raised};
//   jobs.execute(...);                  // ends with door.lower()
//   door.wait();                        // everybody who waits goes through together
//
// Use it where threads wait for something that happens: a level is loaded, a frame may begin, a
// device is ready. It can be raised again. For something that happens when n others have, take
// countdown; for a value, shared_future; for one thread that sleeps until it is needed,
// parking_word; for "wait until this lock-free thing says yes", event_count.
//
// What it costs
//   is_lowered()                      one load (acquire)
//   wait(), wait_for() when lowered   the same one load
//   lower(), raise()                  one read-modify-write (acq_rel) and no system call, unless
//                                     somebody sleeps: then lower() makes one
//   wait() when raised                the spin policy, then a sleep in the kernel; one
//                                     read-modify-write before it, none behind it
// No handle, no mutex, no allocation, no destructor to speak of; polling threads share the line
// and write nothing to it. With many asleep, lower() pays for waking one: those who wake wake the
// others (where the system can do that, see src/sync/wait.hpp).
//
// What it promises
//   - What a thread wrote before lower() is seen behind the wait() that it lets through, and behind
//     an is_lowered() that says yes. This holds for every lower() before that moment, those that
//     found it lowered already too: each one writes the word.
//   - All calls take effect in one order, that of their operations on the word. A lower() that
//     follows a raise(), or that was made by somebody who has seen one, is never undone by it.
//   - lower() releases all who waited at that moment, even if a raise() follows at once and they
//     are slow to wake. A kernel event (SetEvent, then ResetEvent) does the same.
//   - wait() never returns for nothing.
//   - It may be destroyed as soon as every wait() has returned, even if the lower() that let them
//     through has not: behind its operation on the word it uses the address as an opaque key only.
//
// Why no wake-up is lost
//   The word is the only truth: bit 0 says lowered, bit 1 that somebody sleeps or is about to,
//   bits 4 to 31 count how often it was lowered (bit 2 is a hint: several have waited at once; bit
//   3 says that continuations wait, which lie in a table).
//   A waiter remembers the count it came with. Before it sleeps it sets bit 1 by a compare-exchange
//   on a word that it has just judged raised with its own count, and it sleeps only while the word
//   is that very value: the kernel compares once more, under the lock that wakes take too. So at
//   the moment a lower() changes the word a waiter
//     (a) has not set bit 1 yet: its compare-exchange fails, and it judges the new word; or
//     (b) has set it, and does not sleep yet: the kernel finds another value and sends it back; or
//     (c) sleeps: lower() has taken bit 1 out of the word with its own operation, so it knows, and
//         wakes.
//   In each case it then finds the bit set or the count moved on, and leaves; a raise() in between
//   changes neither the count nor the reasoning. Bit 1 is only ever cleared by the lower() that
//   wakes. A waiter that gives up leaves it set, which costs the next lower() one call for nothing.
//   raise() is a read-modify-write and no store, so that it cannot write over a lower() it has not
//   seen; that was the hole in the classic design with a third state between the other two.
//   tests/interleave runs this source through all interleavings of small cases.
//
// Limits: the count has 28 bits, so a thread must not sleep through 2^28 lowerings. Between threads
// of one process only. After fork() the child must not use a barricade that a thread of the parent
// was waiting on: nobody waits there any more, and the word cannot know. Not fair: who comes late
// may go through first.
#pragma once

#include <chrono>
#include <cstdint>

#include "overture/base/atomic.hpp"
#include "overture/base/executor.hpp"
#include "overture/base/prefetch.hpp"
#include "overture/base/spin.hpp"
#include "overture/sync/wait_observer.hpp"

namespace overture {

class barricade;

// Work that waits for a barricade without a thread that does. Stays where it is until it has begun.
struct barricade_continuation {
  task work;
  executor* where = nullptr;

  // The barricade's.
  const barricade* of = nullptr;
  barricade_continuation* next = nullptr;
  std::uint32_t generation = 0;
  atomic<bool> counts{false};
};

class barricade {
 public:
  enum initial_state : std::uint32_t { raised = 0, lowered = 1 };

  explicit constexpr barricade(initial_state state = raised) noexcept : word_(state) {}
  barricade(const barricade&) = delete;
  barricade& operator=(const barricade&) = delete;

  // Any thread.
  [[nodiscard]] bool is_lowered() const noexcept {
    return (word_.load(std::memory_order_acquire) & lowered_bit) != 0;
  }

  // Lets everybody through who waits now, and everybody who comes while it stays lowered.
  // Any thread, never blocks.
  void lower() noexcept {
    // To be written: who waits has the line, and fetching it to read would be a second way there.
    prefetch_to_write(&word_);
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    std::uint32_t next = 0;
    // Writes even if it is lowered already: whoever waits later must see what this thread wrote.
    do {
      next = (seen | lowered_bit) & ~(waiters_bit | continuations_bit);
      if ((seen & lowered_bit) == 0) next += generation_one;
    } while (!word_.compare_exchange_weak(seen, next, std::memory_order_acq_rel,
                                          std::memory_order_relaxed));
    // From here on a waiter may have destroyed the barricade: only its address is used.
    if ((seen & (waiters_bit | continuations_bit)) != 0) wake(&word_, seen);
  }
  // Holds whoever comes from now on. Any thread, never blocks.
  void raise() noexcept {
    // A store could write over a lower() that has just released its waiters, unseen by this thread.
    word_.fetch_and(~lowered_bit, std::memory_order_acq_rel);
  }

  // Returns once the barricade is, or has been, lowered since the call. Any thread.
  void wait(const wait_options& options = {}) noexcept {
    const std::uint32_t seen = word_.load(std::memory_order_acquire);
    if ((seen & lowered_bit) == 0) (void)wait_slow(seen, 0, options);
  }
  // As wait(), but gives up: false if time ran out first. Any thread.
  [[nodiscard]] bool wait_for(std::chrono::nanoseconds duration,
                              const wait_options& options = {}) noexcept;
  [[nodiscard]] bool wait_until(std::chrono::steady_clock::time_point deadline,
                                const wait_options& options = {}) noexcept;
  // Has registered.work run on registered.where once this is, or has been, lowered since the call;
  // false, and nothing happens, if it is lowered now. The barricade must live until the work has
  // begun. For coroutines (overture/jobs/coroutine.hpp) and executors of the host's. Any thread.
  [[nodiscard]] bool on_lowered(barricade_continuation& registered) noexcept;

 private:
  friend class continuation_table;
  static constexpr std::uint32_t lowered_bit = 1;
  static constexpr std::uint32_t waiters_bit = 2;
  // Once set it stays: where several have waited at once, they will again.
  static constexpr std::uint32_t several_bit = 4;
  static constexpr std::uint32_t continuations_bit = 8;
  static constexpr std::uint32_t generation_one = 16;

  // `seen`: the word as lower() found it.
  static void wake(const void* key, std::uint32_t seen) noexcept;
  // All but the case of one sleeper and nothing else. Apart, so that the way of that one is short.
  static void wake_several_kinds(const void* key, std::uint32_t seen) noexcept;
  [[nodiscard]] bool has_let_through(std::uint32_t generation) const noexcept {
    const std::uint32_t seen = word_.load(std::memory_order_seq_cst);
    return (seen & lowered_bit) != 0 || seen / generation_one != generation;
  }
  // `seen` is the raised word that the call began with: a generation that differs from its own
  // means that the barricade was lowered since. deadline_ns on the clock of now_ns(), 0 = none.
  // False if time ran out.
  bool wait_slow(std::uint32_t seen, std::uint64_t deadline_ns,
                 const wait_options& options) noexcept;

  atomic<std::uint32_t> word_;
};

static_assert(sizeof(barricade) == 4);

}  // namespace overture
