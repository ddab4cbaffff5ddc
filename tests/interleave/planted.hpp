// SPDX-License-Identifier: Zlib
//
// Designs with a bug that the explorer must find. Each was shipped in some library, or is one of
// ours with a line removed.
#pragma once

#include <cstdint>

#include "interleave/include/sync/wait.hpp"

namespace planted {

using overture::atomic;

// A kernel's manual-reset event.
class kernel_event {
 public:
  explicit kernel_event(bool set) : set_(set ? 1 : 0) {}
  void set() {
    set_.store(1);
    overture::sync_detail::address_wake_all(&set_);
  }
  void reset() { set_.store(0); }
  void wait() {
    while (set_.load() == 0) (void)overture::sync_detail::address_wait(set_, 0, 0);
  }

 private:
  atomic<std::uint32_t> set_;
};

// A flag in front of a kernel event: two states, which nothing keeps consistent.
class two_state_event {
 public:
  explicit two_state_event(bool lowered) : lowered_(lowered ? 1 : 0), event_(lowered) {}
  [[nodiscard]] bool is_lowered() const { return lowered_.load() != 0; }
  void lower() {
    if (lowered_.exchange(1) == 0) event_.set();
  }
  void raise() {
    if (lowered_.exchange(0) != 0) event_.reset();
  }
  void wait() {
    if (!is_lowered()) event_.wait();
  }

 private:
  atomic<std::uint32_t> lowered_;
  kernel_event event_;
};

// A third state while the event catches up with the flag. A lower() that meets it does nothing.
class three_state_event {
 public:
  explicit three_state_event(bool lowered) : state_(lowered ? open : closed), event_(lowered) {}
  [[nodiscard]] bool is_lowered() const { return state_.load() == open; }
  void lower() {
    std::uint32_t expected = closed;
    if (!state_.compare_exchange_strong(expected, changing)) return;
    event_.set();
    state_.store(open);
  }
  void raise() {
    std::uint32_t expected = open;
    if (!state_.compare_exchange_strong(expected, changing)) return;
    event_.reset();
    state_.store(closed);
  }
  void wait() {
    if (!is_lowered()) event_.wait();
  }

 private:
  static constexpr std::uint32_t closed = 0;
  static constexpr std::uint32_t open = 1;
  static constexpr std::uint32_t changing = 2;
  atomic<std::uint32_t> state_;
  kernel_event event_;
};

// One word without a count of lowerings: a slow waiter wakes up and finds it raised again.
class event_without_generation {
 public:
  void lower() {
    if (word_.exchange(lowered) == waiters) overture::sync_detail::address_wake_all(&word_);
  }
  void raise() { word_.fetch_and(~lowered); }
  void wait() {
    for (;;) {
      std::uint32_t seen = word_.load();
      if (seen == lowered) return;
      if (seen == waiters || word_.compare_exchange_strong(seen, waiters)) {
        (void)overture::sync_detail::address_wait(word_, waiters, 0);
      }
    }
  }

 private:
  static constexpr std::uint32_t lowered = 1;
  static constexpr std::uint32_t waiters = 2;
  atomic<std::uint32_t> word_{0};
};

// Announces that it sleeps, but does not look again: a lower() in between has seen no sleeper.
class event_without_second_look {
 public:
  void lower() {
    lowered_.store(1);
    if (sleeping_.exchange(0) != 0) overture::sync_detail::address_wake_all(&sleeping_);
  }
  void wait() {
    if (lowered_.load() != 0) return;
    sleeping_.store(1);
    while (sleeping_.load() != 0) (void)overture::sync_detail::address_wait(sleeping_, 1, 0);
  }

 private:
  atomic<std::uint32_t> lowered_{0};
  atomic<std::uint32_t> sleeping_{0};
};

// Reads a member after it has released the waiter, which may have freed it.
class event_that_looks_back {
 public:
  void lower() {
    lowered_.store(1);
    if (waiters_.load() != 0) overture::sync_detail::address_wake_all(&lowered_);
  }
  void wait() {
    waiters_.fetch_add(1);
    while (lowered_.load() == 0) (void)overture::sync_detail::address_wait(lowered_, 0, 0);
  }

 private:
  atomic<std::uint32_t> lowered_{0};
  atomic<std::uint32_t> waiters_{0};
};

// Publishes nothing: the store that releases waiters is relaxed.
class relaxed_event {
 public:
  void lower() {
    lowered_.store(1, std::memory_order_relaxed);
    overture::sync_detail::address_wake_all(&lowered_);
  }
  void wait() {
    while (lowered_.load(std::memory_order_acquire) == 0) {
      (void)overture::sync_detail::address_wait(lowered_, 0, 0);
    }
  }

 private:
  atomic<std::uint32_t> lowered_{0};
};

// Two flags with neither sequential consistency nor a read-modify-write between the store of one
// and the load of the other: on real machines both loads may overtake both stores (store
// buffering).
class event_with_store_buffering {
 public:
  void lower() {
    lowered_.store(1, std::memory_order_release);
    if (sleeping_.load(std::memory_order_acquire) != 0) {
      sleeping_.store(0, std::memory_order_release);
      overture::sync_detail::address_wake_all(&sleeping_);
    }
  }
  void wait() {
    sleeping_.store(1, std::memory_order_release);
    if (lowered_.load(std::memory_order_acquire) != 0) return;
    while (sleeping_.load(std::memory_order_acquire) != 0) {
      (void)overture::sync_detail::address_wait(sleeping_, 1, 0);
    }
  }

 private:
  atomic<std::uint32_t> lowered_{0};
  atomic<std::uint32_t> sleeping_{0};
};

}  // namespace planted
