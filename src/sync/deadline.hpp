// SPDX-License-Identifier: Zlib
//
// Converts <chrono> durations and times to deadlines of the wait layer.
#pragma once

#include <chrono>
#include <cstdint>

#include "overture/base/thread.hpp"

namespace overture::sync_detail {

// The time `duration` from now on the clock of now_ns(), or 0 if `duration` is not positive.
[[nodiscard]] inline std::uint64_t deadline_in(std::chrono::nanoseconds duration) noexcept {
  if (duration <= std::chrono::nanoseconds::zero()) return 0;
  return now_ns() + static_cast<std::uint64_t>(duration.count());
}

[[nodiscard]] inline std::chrono::nanoseconds time_until(
    std::chrono::steady_clock::time_point deadline) noexcept {
  // As a difference, because the two clocks may have different zeros.
  const auto now = std::chrono::steady_clock::now();
  return deadline > now ? deadline - now : std::chrono::nanoseconds::zero();
}

}  // namespace overture::sync_detail
