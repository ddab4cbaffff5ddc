// SPDX-License-Identifier: Zlib
//
// The time limit of a spin.
#pragma once

#include <cstdint>

#include "overture/base/thread.hpp"

namespace overture::sync_detail {

// Starts at the first call of over(), so that a wait that ends before never reads the clock.
class spin_time {
 public:
  explicit spin_time(std::uint32_t nanoseconds) noexcept : nanoseconds_(nanoseconds) {}

  [[nodiscard]] bool over() noexcept {
    if (nanoseconds_ == 0) return true;
    const std::uint64_t now = now_ns();
    if (until_ns_ == 0) until_ns_ = now + nanoseconds_;
    return now >= until_ns_;
  }

 private:
  std::uint64_t until_ns_ = 0;
  std::uint32_t nanoseconds_;
};

}  // namespace overture::sync_detail
