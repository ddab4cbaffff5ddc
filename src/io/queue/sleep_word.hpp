// SPDX-License-Identifier: Zlib
//
// A word that threads sleep on until it moves on.
//
// A thread about to sleep reads the word, checks that there is nothing to do, and sleeps only while
// the word has that value. A thread that adds work moves the word on and wakes.
#pragma once

#include <cstdint>

#include "overture/base/atomic.hpp"
#include "overture/sync/wait_observer.hpp"
#include "sync/wait.hpp"

namespace overture::io_detail {

class sleep_word {
 public:
  [[nodiscard]] std::uint32_t value() const noexcept {
    return word_.load(std::memory_order_relaxed);
  }
  void move_on() noexcept { word_.fetch_add(1, std::memory_order_relaxed); }
  void sleep_while(std::uint32_t seen, const char* reason) noexcept {
    const observed_wait waiting(reason);
    (void)sync_detail::address_wait(word_, seen, 0);
  }
  void wake_one() noexcept { sync_detail::address_wake_one(&word_); }
  void wake_all() noexcept { sync_detail::address_wake_all(&word_); }

 private:
  atomic<std::uint32_t> word_{0};
};

}  // namespace overture::io_detail
