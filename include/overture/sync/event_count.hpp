// SPDX-License-Identifier: Zlib
//
// Waits for any condition of your own lock-free data, in two phases.
//
//   event_count changed;                       // beside a lock-free queue, a flag, a counter ...
//
//   queue.push(item);                          // producer: make the condition true,
//   changed.notify_one();                      // then notify
//
//   while (!queue.pop(item)) {                 // consumer: check,
//     const auto key = changed.prepare_wait(); // announce the wait,
//     if (queue.pop(item)) {                   // check again,
//       changed.cancel_wait();
//       break;
//     }
//     changed.wait(key);                       // then sleep
//   }
//   changed.await([&] { return queue.pop(item); });   // the same in one line
//
// The condition needs no change: the event count knows nothing about it.
//
// Cost: a notify without waiters is one read-modify-write and no system call; with waiters, two and
// one system call. prepare_wait() is one read-modify-write and one load; cancel_wait() and the end
// of wait() are one read-modify-write each.
//
// Why no wake-up is lost: prepare_wait() and notify both perform a read-modify-write on the number
// of waiters, so one comes first. If prepare_wait() does, the notify sees the waiter, advances the
// epoch and wakes; a waiter whose key holds the old epoch no longer falls asleep. If the notify
// comes first, prepare_wait() acquires what it released, and the second check finds the condition
// true. Without the second check a wake-up is lost; await() always makes it.
//
// Guarantees: notify_one() ends at least one wait() whose prepare_wait() came before it,
// notify_all() all of them. wait() may return spuriously: check again. Use notify_one() only if any
// waiter can handle the event, because it does not choose which one wakes. Everything written
// before a notify is visible after the wait() that it ends.
//
// Limits: the object must outlive all calls. A thread must not pause between prepare_wait() and
// wait() while 2^32 notifies pass. Threads of one process only; fork() as for barricade.
#pragma once

#include <chrono>
#include <cstdint>

#include "overture/base/api.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/spin.hpp"
#include "overture/sync/wait_observer.hpp"

namespace overture {

class OVERTURE_API event_count {
 public:
  // Passed from prepare_wait() to wait().
  class key_type {
    friend class event_count;
    explicit key_type(std::uint32_t epoch) noexcept : epoch_(epoch) {}
    std::uint32_t epoch_;
  };

  constexpr event_count() noexcept = default;
  event_count(const event_count&) = delete;
  event_count& operator=(const event_count&) = delete;

  // Announces a wait. Check the condition after it, then call exactly one of wait(), wait_for(),
  // wait_until() and cancel_wait() on the same thread. Any thread.
  [[nodiscard]] key_type prepare_wait() noexcept {
    waiting_.fetch_add(1, std::memory_order_seq_cst);
    return key_type(epoch_.load(std::memory_order_seq_cst));
  }
  void cancel_wait() noexcept { waiting_.fetch_sub(1, std::memory_order_seq_cst); }

  // Returns after a notify that follows the prepare_wait(), or spuriously.
  void wait(key_type key, const wait_options& options = {}) noexcept;
  // As wait(), but return false if the time runs out first.
  bool wait_for(key_type key, std::chrono::nanoseconds duration,
                const wait_options& options = {}) noexcept;
  bool wait_until(key_type key, std::chrono::steady_clock::time_point deadline,
                  const wait_options& options = {}) noexcept;

  // Call after making the condition true. Any thread, never block.
  void notify_one() noexcept;
  void notify_all() noexcept;

  // Returns once condition() is true; calls it on this thread. Passes on what it throws. Any
  // thread.
  template <class Condition>
  void await(Condition condition, const wait_options& options = {}) {
    while (!condition()) {
      const key_type key = prepare_wait();
      struct announcement {
        event_count* of;
        ~announcement() {
          if (of != nullptr) of->cancel_wait();
        }
      } open{this};
      if (condition()) return;
      open.of = nullptr;
      wait(key, options);
    }
  }

 private:
  bool wait_slow(std::uint32_t epoch, std::uint64_t deadline_ns,
                 const wait_options& options) noexcept;
  [[nodiscard]] bool has_no_waiters() noexcept;

  atomic<std::uint32_t> waiting_{0};
  atomic<std::uint32_t> epoch_{0};
};

static_assert(sizeof(event_count) == 8);

}  // namespace overture
