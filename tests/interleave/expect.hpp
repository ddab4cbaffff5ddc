// Shared by the tests that run shipped code in the explorer.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "interleave/explorer.hpp"
#include "overture/base/spin.hpp"

namespace interleave {

// Sleeps without spinning: each turn would be one more step to explore.
inline constexpr overture::wait_options at_once{.spin = overture::spin_policy::none()};
// A deadline that may pass at any step.
inline constexpr auto some_time = std::chrono::seconds(1);

// The numbers of executions in incomplete searches, and in random ones. Fewer with
// AddressSanitizer, where each takes four times as long, and what it finds shows in most of them.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr std::uint64_t many = 5'000;
inline constexpr std::uint64_t some = 750;
#else
inline constexpr std::uint64_t many = 20'000;
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

}  // namespace interleave
