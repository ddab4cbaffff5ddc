// SPDX-License-Identifier: Zlib
//
// unused_list: assets whose last handle is gone, on their way from any thread to the store.
//
//   handle gone:  if the count falls to zero, add()
//   in a sweep:   take() one, under the store's lock, look at its count, and give it up if it is
//   zero
//
// An asset may be asked for again at any time. It leaves the list before its count is looked at: so
// either that look sees a zero, or the handle that falls to zero after it adds the asset once more.
#pragma once

#include <utility>

#include "assets/slot.hpp"

namespace overture::assets_detail {

class unused_list {
 public:
  // Does nothing if it is in the list. Any thread.
  void add(slot& one) noexcept {
    if (one.in_unused.exchange(true, std::memory_order_seq_cst)) return;
    slot* first = first_.load(std::memory_order_relaxed);
    do {
      one.unused_next.store(first, std::memory_order_relaxed);
    } while (!first_.compare_exchange_weak(first, &one, std::memory_order_release,
                                           std::memory_order_relaxed));
  }

  // Takes the one that was added first; null if the list is empty. One thread at a time.
  [[nodiscard]] slot* take() noexcept {
    if (rest_ == nullptr) {
      // The newest is in front.
      slot* newest = first_.exchange(nullptr, std::memory_order_acquire);
      while (newest != nullptr) {
        slot* const before = newest->unused_next.load(std::memory_order_relaxed);
        newest->unused_next.store(rest_, std::memory_order_relaxed);
        rest_ = std::exchange(newest, before);
      }
    }
    slot* const one = rest_;
    if (one == nullptr) return nullptr;
    rest_ = one->unused_next.load(std::memory_order_relaxed);
    // An exchange, because the count must be looked at afterwards.
    (void)one->in_unused.exchange(false, std::memory_order_seq_cst);
    return one;
  }
  // Whether some that were there at a take() are there still.
  [[nodiscard]] bool has_more() const noexcept { return rest_ != nullptr; }

 private:
  atomic<slot*> first_{nullptr};
  slot* rest_ = nullptr;  // that were taken, and not visited yet
};

}  // namespace overture::assets_detail
