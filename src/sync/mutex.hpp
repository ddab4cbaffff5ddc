// SPDX-License-Identifier: Zlib
//
// A mutex of four bytes on the wait layer, for the paths that change a configuration. Hot paths
// use none.
//
//   mutex lock;
//   { const scoped_lock hold(lock); ... }
//
// Cost: one read-modify-write to lock and one to unlock without contention; a wait is reported to
// the wait observer as wait_reasons::lock. Not recursive, not fair. May be destroyed by the thread
// that locked it last as soon as no other thread can reach it.
#pragma once

#include <cstdint>

#include "base/threads/thread_annotations.hpp"
#include "overture/base/atomic.hpp"

namespace overture::sync_detail {

class CAPABILITY("mutex") mutex {
 public:
  mutex() = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  void lock() noexcept ACQUIRE() {
    if (!try_lock()) lock_slow();
  }
  [[nodiscard]] bool try_lock() noexcept TRY_ACQUIRE(true) {
    std::uint32_t expected = unlocked;
    return word_.compare_exchange_strong(expected, locked, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }
  void unlock() noexcept RELEASE() {
    if (word_.exchange(unlocked, std::memory_order_release) == contended) wake_next(&word_);
  }

 private:
  // contended: locked, and a thread may sleep (Drepper, "Futexes are tricky").
  static constexpr std::uint32_t unlocked = 0;
  static constexpr std::uint32_t locked = 1;
  static constexpr std::uint32_t contended = 2;

  void lock_slow() noexcept;
  static void wake_next(const void* key) noexcept;

  atomic<std::uint32_t> word_{unlocked};
};

static_assert(sizeof(mutex) == 4);

// Holds a mutex for as long as it lives.
class SCOPED_CAPABILITY scoped_lock {
 public:
  explicit scoped_lock(mutex& held) noexcept ACQUIRE(held) : held_(held) { held_.lock(); }
  ~scoped_lock() RELEASE() { held_.unlock(); }
  scoped_lock(const scoped_lock&) = delete;
  scoped_lock& operator=(const scoped_lock&) = delete;

 private:
  mutex& held_;
};

}  // namespace overture::sync_detail
