// SPDX-License-Identifier: Zlib
//
// The threads that wait for requests to complete and unpack meanwhile; of a queue run by its host
// also those that wait for something to read.
//
// One thread at a time; they sleep on a word that any thread may wake.
#pragma once

#include <cstdint>

#include "io/queue/sleep_word.hpp"

namespace overture::io_detail {

class waiting_helpers {
 public:
  explicit waiting_helpers(sleep_word& word) noexcept : word_(word) {}

  // Adds the caller, which may sleep while the word has the value that is returned.
  [[nodiscard]] std::uint32_t add(bool hears_countdowns) noexcept {
    ++count_;
    countdown_waiters_ += hears_countdowns ? 1 : 0;
    return word_.value();
  }
  void remove(bool hears_countdowns) noexcept {
    --count_;
    countdown_waiters_ -= hears_countdowns ? 1 : 0;
  }
  [[nodiscard]] bool any() const noexcept { return count_ > 0; }
  [[nodiscard]] bool any_hears_countdowns() const noexcept { return countdown_waiters_ > 0; }
  // Makes them look again; the caller wakes all on the word after it has released the lock.
  void call() noexcept { word_.move_on(); }

 private:
  sleep_word& word_;
  std::uint32_t count_ = 0;
  std::uint32_t countdown_waiters_ = 0;  // of those
};

}  // namespace overture::io_detail
