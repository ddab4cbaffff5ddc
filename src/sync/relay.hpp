// The count of a queue of sleepers out of which wakes are relayed: whoever moved sleepers there
// wakes one, whoever is woken wakes some more, as long as the count says that somebody is left.
//
// Nobody is forgotten. Each of those who were moved is counted: by the thread that moved them,
// until it has added them here; here, until a thread takes some; by that thread, until it has woken
// as many. So there are never more in the queue than are counted for it. Whoever moved or took some
// has yet to wake, and whoever is woken while somebody is in the queue looks here later, and takes.
// Who gives up (a time-out, a signal) only leaves the queue: the count is then too high, until it
// has been taken by wakes that find nobody.
#pragma once

#include <algorithm>
#include <cstdint>

#include "overture/base/atomic.hpp"

namespace overture {

class relay_count {
 public:
  // `moved` threads, at least one, lie in the queue now; the caller wakes one of them itself.
  void add_all_but_one(std::uint32_t moved) noexcept {
    left_.fetch_add(moved - 1, std::memory_order_seq_cst);
  }
  // How many the caller, which has been woken, wakes from the queue.
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

}  // namespace overture
