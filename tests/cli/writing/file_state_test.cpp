// SPDX-License-Identifier: Zlib
#include "writing/file_state.hpp"

#include <gtest/gtest.h>

namespace overture::cli::file_state_test {
namespace {

using namespace std::chrono_literals;

TEST(file_state, whole_seconds_mean_a_file_system_that_keeps_no_less) {
  constexpr std::int64_t second = 1'000'000'000;
  EXPECT_EQ(clock_step_of({.mtime_ns = 5 * second + 1, .ctime_ns = 5 * second + 1}), 20ms);
  EXPECT_EQ(clock_step_of({.mtime_ns = 5 * second, .ctime_ns = 5 * second + 1}), 20ms)
      << "unpacked from an archive";
  EXPECT_EQ(clock_step_of({.mtime_ns = 5 * second, .ctime_ns = 6 * second}), 2s);
}

}  // namespace
}  // namespace overture::cli::file_state_test
