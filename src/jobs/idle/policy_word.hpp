// SPDX-License-Identifier: Zlib
//
// The wake policy of a pool and the number of zones that ask for another one, in one word, so that
// a worker that is about to sleep reads it once.
#pragma once

#include <cstdint>

#include "overture/base/atomic.hpp"
#include "overture/jobs/wake_policy.hpp"

namespace overture::jobs_detail {

class policy_word {
 public:
  explicit policy_word(wake_policy base) noexcept : word_(static_cast<std::uint64_t>(base)) {}

  [[nodiscard]] wake_policy now() const noexcept {
    const std::uint64_t seen = word_.load(std::memory_order_seq_cst);
    for (const wake_policy each : {wake_policy::spin, wake_policy::warm, wake_policy::park}) {
      if ((seen >> shift_of(each) & 0xFFFF) != 0) return each;
    }
    return static_cast<wake_policy>(seen & base_bits);
  }
  void set_base(wake_policy base) noexcept {
    std::uint64_t seen = word_.load(std::memory_order_relaxed);
    while (!word_.compare_exchange_weak(
        seen, (seen & ~base_bits) | static_cast<std::uint64_t>(base), std::memory_order_seq_cst)) {
    }
  }
  void enter(wake_policy zone) noexcept {
    word_.fetch_add(std::uint64_t{1} << shift_of(zone), std::memory_order_seq_cst);
  }
  void leave(wake_policy zone) noexcept {
    word_.fetch_sub(std::uint64_t{1} << shift_of(zone), std::memory_order_seq_cst);
  }

 private:
  static constexpr std::uint64_t base_bits = 3;
  [[nodiscard]] static constexpr unsigned shift_of(wake_policy zone) noexcept {
    return 16 * (1 + static_cast<unsigned>(zone));
  }

  atomic<std::uint64_t> word_;
};

}  // namespace overture::jobs_detail
