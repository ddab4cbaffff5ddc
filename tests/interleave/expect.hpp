// What the tests of shipped code under the explorer have in common.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "interleave/explorer.hpp"
#include "overture/spin.hpp"

namespace interleave {

// Straight to sleep: each turn of spinning would be one more step to explore.
inline constexpr overture::wait_options at_once{.spin = overture::spin_policy::none()};
// A deadline that may run out at any step.
inline constexpr auto some_time = std::chrono::seconds(1);

inline void expect_clean(const outcome& seen) {
  EXPECT_EQ(seen.failure, "");
  testing::Test::RecordProperty("executions", std::to_string(seen.executions));
}
inline void expect_clean_and_complete(const outcome& seen) {
  expect_clean(seen);
  EXPECT_TRUE(seen.complete) << "after " << seen.executions;
}

}  // namespace interleave
