// SPDX-License-Identifier: Zlib
#include "sync/ladder.hpp"

#include <gtest/gtest.h>

namespace {

using overture::now_ns;
using overture::spin_policy;
using overture::sync_detail::climb_ladder;

int looks_until_it_gives_up(spin_policy spin) {
  int looks = 0;
  EXPECT_FALSE(climb_ladder(
      [&looks] {
        ++looks;
        return false;
      },
      spin));
  return looks;
}

TEST(ladder, looks_as_often_as_it_is_told_and_once_more) {
  EXPECT_EQ(looks_until_it_gives_up(spin_policy::none()), 1);
  EXPECT_EQ(looks_until_it_gives_up({.pauses = 3, .yields = 5, .nanoseconds = 0}), 9);
}

TEST(ladder, goes_on_yielding_for_as_long_as_it_is_told) {
  constexpr std::uint32_t two_milliseconds = 2'000'000;
  const std::uint64_t begin_ns = now_ns();
  (void)looks_until_it_gives_up({.pauses = 0, .yields = 1, .nanoseconds = two_milliseconds});
  EXPECT_GE(now_ns() - begin_ns, two_milliseconds);
}

TEST(ladder, looks_often_enough_however_long_that_takes) {
  EXPECT_GE(looks_until_it_gives_up({.pauses = 0, .yields = 1000, .nanoseconds = 1}), 1001);
}

TEST(ladder, ends_when_what_it_waits_for_is_there) {
  int looks = 0;
  EXPECT_TRUE(climb_ladder([&looks] { return ++looks == 7; }));
  EXPECT_EQ(looks, 7);
}

}  // namespace
