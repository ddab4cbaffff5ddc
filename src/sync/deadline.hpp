// From the durations and times of <chrono> to the deadlines of the wait layer.
#pragma once

#include <chrono>
#include <cstdint>

#include "overture/base/thread.hpp"

namespace overture {

// The deadline that lies `duration` ahead on the clock of now_ns(), or 0 if that is now or past.
[[nodiscard]] inline std::uint64_t deadline_in(std::chrono::nanoseconds duration) noexcept {
  if (duration <= std::chrono::nanoseconds::zero()) return 0;
  return now_ns() + static_cast<std::uint64_t>(duration.count());
}

[[nodiscard]] inline std::chrono::nanoseconds time_until(
    std::chrono::steady_clock::time_point deadline) noexcept {
  // By the difference, because the zeros of the two clocks need not be the same.
  const auto now = std::chrono::steady_clock::now();
  return deadline > now ? deadline - now : std::chrono::nanoseconds::zero();
}

}  // namespace overture
