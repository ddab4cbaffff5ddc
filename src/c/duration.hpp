// SPDX-License-Identifier: Zlib
//
// Times of any length as the library takes them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "overture/base/thread.hpp"

namespace overture::c {

// A year: longer than any wait, and far from the end of 64 bits.
inline constexpr std::uint64_t duration_ns_max = 365ull * 24 * 3600 * 1'000'000'000;

inline std::chrono::nanoseconds duration_of(std::uint64_t ns) noexcept {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(ns, duration_ns_max)));
}

// On the clock of now_ns(). Never 0, which would be none.
inline std::uint64_t deadline_in(std::uint64_t ns) noexcept {
  return now_ns() + std::min(ns, duration_ns_max);
}

}  // namespace overture::c
