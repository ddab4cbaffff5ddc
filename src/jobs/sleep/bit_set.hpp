// SPDX-License-Identifier: Zlib
//
// Bits that many threads set and clear.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "overture/base/atomic.hpp"
#include "overture/base/detail/compiler.hpp"

namespace overture::jobs_detail {

template <std::size_t Bits>
class alignas(detail::line_bytes) bit_set {
  static_assert(Bits % 64 == 0);

 public:
  // Both are seq_cst: a thread that sets a bit then looks for work, one that adds work then looks
  // for bits. True if this call set it.
  bool set(std::size_t bit) noexcept {
    const std::uint64_t mask = mask_of(bit);
    return (words_[bit / 64].fetch_or(mask, std::memory_order_seq_cst) & mask) == 0;
  }
  // True if this call cleared it.
  bool clear(std::size_t bit) noexcept {
    const std::uint64_t mask = mask_of(bit);
    return (words_[bit / 64].fetch_and(~mask, std::memory_order_seq_cst) & mask) != 0;
  }
  [[nodiscard]] bool test(std::size_t bit) const noexcept {
    return (words_[bit / 64].load(std::memory_order_seq_cst) & mask_of(bit)) != 0;
  }
  // Calls visit(bit) for each set bit until it returns true.
  template <class Visit>
  bool find(Visit visit) const noexcept {
    for (std::size_t word = 0; word < Bits / 64; ++word) {
      std::uint64_t bits = words_[word].load(std::memory_order_seq_cst);
      for (; bits != 0; bits &= bits - 1) {
        if (visit(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)))) return true;
      }
    }
    return false;
  }

 private:
  [[nodiscard]] static constexpr std::uint64_t mask_of(std::size_t bit) noexcept {
    return std::uint64_t{1} << bit % 64;
  }

  atomic<std::uint64_t> words_[Bits / 64]{};
};

}  // namespace overture::jobs_detail
