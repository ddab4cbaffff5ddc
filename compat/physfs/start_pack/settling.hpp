// SPDX-License-Identifier: Zlib
//
// When a file's times can be trusted to tell a later change. Systems count these times in steps, of
// up to two seconds: a file that changed just now may change again without a difference.
#pragma once

#include <chrono>
#include <cstdint>

namespace overture::start_pack {

inline constexpr std::int64_t settled_after_ns = 2'000'000'000;

// How long it takes until the file has settled; 0 if it has. `ctime_ns` is that of its status, 0 if
// unknown, and both are nanoseconds since 1970.
[[nodiscard]] constexpr std::int64_t settles_in_ns(std::int64_t ctime_ns,
                                                   std::int64_t now_ns) noexcept {
  if (ctime_ns == 0) return INT64_MAX;
  const std::int64_t settled_ns = now_ns - settled_after_ns;
  return ctime_ns <= settled_ns ? 0 : ctime_ns - settled_ns;
}

[[nodiscard]] inline std::int64_t wall_clock_ns() noexcept {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace overture::start_pack
