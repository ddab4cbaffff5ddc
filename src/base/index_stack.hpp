// SPDX-License-Identifier: Zlib
//
// A lock-free stack of small numbers, for free lists over tables.
//
// Each number has one link word, stored by the owner of the table. Its memory must outlive every
// push and pop, because a thread that lost the race for a number may still read its link. The head
// carries a tag that every change increments (the ABA problem: a number that was popped and pushed
// again looks different). Method: Treiber's stack (1986) with a counted head.
#pragma once

#include <cstdint>

#include "overture/base/atomic.hpp"

namespace overture::base_detail {

class index_stack {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  // `link` maps a number to its atomic<std::uint32_t>&. Any thread.
  template <class Link>
  void push(std::uint32_t index, Link&& link) noexcept {
    std::uint64_t head = head_.load(std::memory_order_relaxed);
    do {
      link(index).store(index_of(head), std::memory_order_relaxed);
    } while (!head_.compare_exchange_weak(head, next_head(head, index), std::memory_order_release,
                                          std::memory_order_relaxed));
  }

  // Returns `none` if the stack is empty. Any thread.
  template <class Link>
  [[nodiscard]] std::uint32_t pop(Link&& link) noexcept {
    std::uint64_t head = head_.load(std::memory_order_acquire);
    for (;;) {
      const std::uint32_t index = index_of(head);
      if (index == none) return none;
      const std::uint32_t next = link(index).load(std::memory_order_relaxed);
      if (head_.compare_exchange_weak(head, next_head(head, next), std::memory_order_acquire,
                                      std::memory_order_acquire)) {
        return index;
      }
    }
  }

 private:
  static constexpr std::uint32_t index_of(std::uint64_t head) noexcept {
    return static_cast<std::uint32_t>(head);
  }
  static constexpr std::uint64_t next_head(std::uint64_t head, std::uint32_t index) noexcept {
    return ((head >> 32) + 1) << 32 | index;
  }

  atomic<std::uint64_t> head_{none};
};

}  // namespace overture::base_detail
