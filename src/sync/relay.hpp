// SPDX-License-Identifier: Zlib
//
// Counts the sleepers of a relay queue. A thread that moves sleepers into the queue wakes one of
// them; each woken thread wakes some more, as long as the count says that any are left.
//
// No sleeper is forgotten. Each one moved is counted: by the thread that moved it, until that adds
// it here; here, until a thread takes it; by that thread, until it has made as many wakes. So the
// queue never holds more sleepers than are counted. A thread that moved or took some still has
// wakes to make, and every thread woken while the queue is not empty later looks here and takes. A
// sleeper that gives up (timeout, signal) just leaves the queue; the count is then too high until
// wakes that find no sleeper use it up.
#pragma once

#include <algorithm>
#include <cstdint>

#include "overture/base/atomic.hpp"

namespace overture::sync_detail {

class relay_count {
 public:
  // `moved` (> 0) threads were moved to the queue; the caller itself wakes one of them.
  void add_all_but_one(std::uint32_t moved) noexcept {
    left_.fetch_add(moved - 1, std::memory_order_seq_cst);
  }
  // How many threads the caller, itself just woken, must wake from the queue.
  [[nodiscard]] std::uint32_t take(std::uint32_t max) noexcept {
    std::uint32_t left = left_.load(std::memory_order_seq_cst);
    std::uint32_t taken = 0;
    do {
      if (left == 0) return 0;
      taken = std::min(left, max);
    } while (!left_.compare_exchange_weak(left, left - taken, std::memory_order_seq_cst));
    return taken;
  }

 private:
  atomic<std::uint32_t> left_{0};
};

}  // namespace overture::sync_detail
