// SPDX-License-Identifier: Zlib
//
// unused_list: assets whose last handle is gone, on their way from any thread to pump().
//
//   handle gone:  if the count falls to zero, add()
//   in pump():    take_all(), which calls visit() for each: under the store's lock, look at the
//                 count, and give the asset up if it is zero
//
// An asset may be asked for again at any time. It leaves the list before its count is looked at: so
// either that look sees a zero, or the handle that falls to zero after it adds the asset once more.
#pragma once

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

  // One thread at a time.
  template <class Visit>
  void take_all(Visit visit) noexcept {
    slot* next = first_.exchange(nullptr, std::memory_order_acquire);
    while (next != nullptr) {
      slot& one = *next;
      next = one.unused_next.load(std::memory_order_relaxed);
      // An exchange, because the count must be looked at afterwards.
      (void)one.in_unused.exchange(false, std::memory_order_seq_cst);
      visit(one);
    }
  }

 private:
  atomic<slot*> first_{nullptr};
};

}  // namespace overture::assets_detail
