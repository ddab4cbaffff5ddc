// SPDX-License-Identifier: Zlib
//
// Slots that threads take and give back; the last one is shared by all that find no other.
#pragma once

#include <bit>
#include <cstdint>

#include "overture/base/atomic.hpp"

namespace overture::base_detail {

template <std::uint32_t count>
class slot_set {
  static_assert(count % 64 == 0);

 public:
  static constexpr std::uint32_t shared = count - 1;

  // The lowest free slot, or `shared`. The caller sees everything done by the last owner.
  [[nodiscard]] std::uint32_t take() noexcept {
    for (std::uint32_t word = 0; word < count / 64; ++word) {
      std::uint64_t bits = taken_[word].load(std::memory_order_relaxed);
      while (~bits != 0) {
        const auto bit = static_cast<std::uint32_t>(std::countr_one(bits));
        const std::uint32_t slot = word * 64 + bit;
        if (slot == shared) return shared;
        if (taken_[word].compare_exchange_weak(bits, bits | std::uint64_t{1} << bit,
                                               std::memory_order_acquire,
                                               std::memory_order_relaxed)) {
          return slot;
        }
      }
    }
    return shared;
  }
  void give_back(std::uint32_t slot) noexcept {
    if (slot == shared) return;
    taken_[slot / 64].fetch_and(~(std::uint64_t{1} << slot % 64), std::memory_order_release);
  }

 private:
  atomic<std::uint64_t> taken_[count / 64] = {};
};

}  // namespace overture::base_detail
