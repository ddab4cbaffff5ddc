// Waiting, in two phases, for any condition that lock-free code can tell.
//
//   event_count changed;                       // beside a lock-free queue, a flag, a counter ...
//
//   queue.push(item);                          // first make it true,
//   changed.notify_one();                      // then say so
//
//   while (!queue.pop(item)) {                 // the consumer: looks,
//     const auto key = changed.prepare_wait(); // announces itself,
//     if (queue.pop(item)) {                   // looks again,
//       changed.cancel_wait();
//       break;
//     }
//     changed.wait(key);                       // and only then sleeps
//   }
//   changed.await([&] { return queue.pop(item); });   // all of that in one line
//
// Both the condition and the queue stay as they are: the event count knows nothing of them.
//
// What it costs: a notify with nobody waiting is one read-modify-write and no system call; with
// somebody waiting another one and one system call. prepare_wait() is one read-modify-write and one
// load, cancel_wait() and the end of wait() one read-modify-write.
//
// Why no wake-up is lost: prepare_wait() and a notify both perform a read-modify-write on the
// number of those who wait, so one of them comes first. If prepare_wait() does, the notify sees
// somebody, moves the epoch on and wakes; whoever has the old epoch in its key does not fall asleep
// any more. If the notify does, prepare_wait() acquires what it released, and the second look finds
// the condition true. Without the second look a wake is lost; await() never forgets it.
//
// What it promises: a notify_one() ends at least one wait() whose prepare_wait() came before it,
// a notify_all() all of them. A wait() may end without reason; look again. Choose notify_one() only
// if everybody who waits can use what happened: it does not choose whom it wakes. What was written
// before a notify is seen behind the wait() that it ends.
//
// Limits: it must outlive all calls. A thread must not lie between prepare_wait() and wait() while
// 2^32 notifies pass. Between threads of one process; fork() as for barricade.
#pragma once

#include <chrono>
#include <cstdint>

#include "overture/base/atomic.hpp"
#include "overture/base/spin.hpp"
#include "overture/sync/wait_observer.hpp"

namespace overture {

class event_count {
 public:
  // What prepare_wait() gives and wait() takes.
  class key_type {
    friend class event_count;
    explicit key_type(std::uint32_t epoch) noexcept : epoch_(epoch) {}
    std::uint32_t epoch_;
  };

  constexpr event_count() noexcept = default;
  event_count(const event_count&) = delete;
  event_count& operator=(const event_count&) = delete;

  // Announces a wait. Look at the condition after it, then call exactly one of wait(), wait_for(),
  // wait_until() and cancel_wait(). Any thread.
  [[nodiscard]] key_type prepare_wait() noexcept {
    waiting_.fetch_add(1, std::memory_order_seq_cst);
    return key_type(epoch_.load(std::memory_order_seq_cst));
  }
  void cancel_wait() noexcept { waiting_.fetch_sub(1, std::memory_order_seq_cst); }

  // Returns after a notify that came behind the prepare_wait(), or for no reason.
  void wait(key_type key, const wait_options& options = {}) noexcept;
  // As wait(), but gives up: false if time ran out first.
  bool wait_for(key_type key, std::chrono::nanoseconds duration,
                const wait_options& options = {}) noexcept;
  bool wait_until(key_type key, std::chrono::steady_clock::time_point deadline,
                  const wait_options& options = {}) noexcept;

  // Behind the write that makes the condition true. Any thread, never block.
  void notify_one() noexcept;
  void notify_all() noexcept;

  // Returns as soon as condition() is true; calls it on this thread. Any thread.
  template <class Condition>
  void await(Condition condition, const wait_options& options = {}) noexcept {
    while (!condition()) {
      const key_type key = prepare_wait();
      if (condition()) {
        cancel_wait();
        return;
      }
      wait(key, options);
    }
  }

 private:
  bool wait_slow(std::uint32_t epoch, std::uint64_t deadline_ns,
                 const wait_options& options) noexcept;
  [[nodiscard]] bool nobody_waits() noexcept;

  atomic<std::uint32_t> waiting_{0};
  atomic<std::uint32_t> epoch_{0};
};

static_assert(sizeof(event_count) == 8);

}  // namespace overture
