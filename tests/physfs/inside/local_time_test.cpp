// SPDX-License-Identifier: Zlib
#include "system/platform.hpp"

#include <gtest/gtest.h>

#include "support/platform.hpp"

namespace physfs {
namespace {

TEST(local_time, of_a_packer_counts_in_the_time_zone_of_the_machine_and_its_summer_time) {
  live_in_time_zone("CET-1CEST");
  constexpr long long noon_in_january = 1'579'003'200;  // 2020-01-14 12:00
  constexpr long long noon_in_july = 1'594'728'000;     // 2020-07-14 12:00
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(from_local_time(noon_in_january), noon_in_january - 3600);
    EXPECT_EQ(from_local_time(noon_in_july), noon_in_july - 7200);
  }
}

}  // namespace
}  // namespace physfs
