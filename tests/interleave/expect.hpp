// SPDX-License-Identifier: Zlib
//
// Shared by the tests that run shipped code in the explorer.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "interleave/explorer.hpp"
#include "overture/base/spin.hpp"

namespace interleave {

// Sleeps without spinning: each turn would be one more step to explore.
inline constexpr overture::wait_options at_once{.spin = overture::spin_policy::none()};
// A deadline that may pass at any step.
inline constexpr auto some_time = std::chrono::seconds(1);

// Executions of searches that need not be complete, and of those by chance. Fewer with
// AddressSanitizer, where each takes four times as long: what it finds shows in most of them.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr std::uint64_t many = 2'500;
inline constexpr std::uint64_t some = 750;
#else
inline constexpr std::uint64_t many = 10'000;
inline constexpr std::uint64_t some = 3'000;
#endif

inline void expect_clean(const outcome& seen) {
  EXPECT_EQ(seen.failure, "");
  testing::Test::RecordProperty("executions", std::to_string(seen.executions));
}
inline void expect_clean_and_complete(const outcome& seen) {
  expect_clean(seen);
  EXPECT_TRUE(seen.complete) << "after " << seen.executions;
}

// For programs with too many executions for a full search: all that deviate in one place; those
// that deviate in two, and in three and four, until as many have run as are allowed (in long tests
// more); and some by chance that deviate in several.
inline void expect_clean_nearby(const std::function<void()>& program) {
  expect_clean_and_complete(explore({.deviations = 1}, program));
  std::uint64_t left = many;
  for (unsigned deviations = 2; deviations <= 4 && left != 0; ++deviations) {
    const outcome seen = explore({.deviations = deviations, .executions_max = left}, program);
    expect_clean(seen);
    if (!seen.complete) break;
    left -= std::min(left, seen.executions);
  }
  expect_clean(explore(
      {.stale_loads = 4, .early_returns = 2, .spurious_failures = 2, .random = some, .seed = 3},
      program));
}

}  // namespace interleave
