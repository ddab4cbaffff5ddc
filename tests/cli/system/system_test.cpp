// SPDX-License-Identifier: Zlib
#include "system/system.hpp"

#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace overture::cli::system_test {
namespace {

constexpr std::int64_t day = 86'400LL * 1'000'000'000;

TEST(from_local_time, may_be_called_on_many_threads_at_once) {
  const std::int64_t expected = from_local_time(day * 10'000);
  ASSERT_NE(expected, 0);
  std::vector<std::int64_t> found(4, 0);
  std::vector<std::thread> threads;
  for (std::int64_t& each : found) {
    threads.emplace_back([&each] {
      for (int i = 0; i < 200; ++i) each = from_local_time(day * 10'000);
    });
  }
  for (std::thread& each : threads) each.join();
  for (const std::int64_t each : found) EXPECT_EQ(each, expected);
}

TEST(from_local_time, gives_no_time_for_none) {
  EXPECT_EQ(from_local_time(0), 0);
}

}  // namespace
}  // namespace overture::cli::system_test
