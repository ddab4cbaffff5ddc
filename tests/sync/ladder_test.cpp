// SPDX-License-Identifier: Zlib
#include "sync/ladder.hpp"

#include <gtest/gtest.h>

namespace {

using overture::now_ns;
using overture::spin_policy;
using overture::sync_detail::climb_ladder;
using overture::sync_detail::slow_yield_ns;
using overture::sync_detail::without_yields_ns;

// A clock that only yields move.
struct fake_yields {
  static inline std::uint64_t clock_ns = 0;
  static inline std::uint64_t yield_ns = 0;
  static inline std::uint64_t none_until_ns = 0;
  static inline int yields = 0;
  static void yield() noexcept {
    clock_ns += yield_ns;
    ++yields;
  }
  static std::uint64_t now() noexcept { return clock_ns; }
  static std::uint64_t& none_until() noexcept { return none_until_ns; }
};

class ladder : public ::testing::Test {
 protected:
  ladder() {
    fake_yields::clock_ns = 1'000'000;
    fake_yields::none_until_ns = 0;
    overture::sync_detail::no_yields_until_ns = 0;  // tests before may have met a busy machine
  }

  static int yields_until_it_gives_up(spin_policy spin, std::uint64_t yield_ns) {
    fake_yields::yield_ns = yield_ns;
    fake_yields::yields = 0;
    EXPECT_FALSE(climb_ladder<fake_yields>([] { return false; }, spin));
    return fake_yields::yields;
  }
};

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

TEST_F(ladder, looks_as_often_as_it_is_told_and_once_more) {
  EXPECT_EQ(looks_until_it_gives_up(spin_policy::none()), 1);
  EXPECT_EQ(looks_until_it_gives_up({.pauses = 3, .yields = 5, .nanoseconds = 0}), 9);
}

TEST_F(ladder, yields_for_as_long_and_as_often_as_it_is_told) {
  EXPECT_EQ(yields_until_it_gives_up({.pauses = 0, .yields = 1, .nanoseconds = 2000}, 100), 20);
  EXPECT_EQ(yields_until_it_gives_up({.pauses = 0, .yields = 1000, .nanoseconds = 1}, 100), 1000);
}

TEST_F(ladder, yields_on_the_clock_of_the_system) {
  const std::uint64_t begin_ns = now_ns();
  EXPECT_GE(looks_until_it_gives_up({.pauses = 0, .yields = 1, .nanoseconds = 1}), 2);
  EXPECT_GT(now_ns(), begin_ns);
}

TEST_F(ladder, ends_after_a_yield_that_took_a_time_slice) {
  EXPECT_EQ(yields_until_it_gives_up(spin_policy::ladder(), slow_yield_ns), 1);
  EXPECT_GT(yields_until_it_gives_up({.pauses = 0, .yields = 9, .nanoseconds = 0}, slow_yield_ns),
            1);  // without a time it counts, whatever happens
}

TEST_F(ladder, does_not_yield_for_a_while_after_that) {
  (void)yields_until_it_gives_up(spin_policy::ladder(), slow_yield_ns);
  fake_yields::clock_ns += without_yields_ns - 1;
  EXPECT_EQ(yields_until_it_gives_up(spin_policy::ladder(), 1000), 0);
  fake_yields::clock_ns += 1;
  EXPECT_GT(yields_until_it_gives_up(spin_policy::ladder(), 1000), 16);
}

TEST_F(ladder, notices_a_slow_yield_that_brought_what_it_waits_for) {
  fake_yields::yield_ns = slow_yield_ns;
  EXPECT_TRUE(climb_ladder<fake_yields>([] { return fake_yields::clock_ns > 1'000'000; }));
  EXPECT_GT(fake_yields::none_until_ns, fake_yields::clock_ns);
}

TEST_F(ladder, ends_when_what_it_waits_for_is_there) {
  int looks = 0;
  fake_yields::yield_ns = 0;
  EXPECT_TRUE(climb_ladder<fake_yields>([&looks] { return ++looks == 7; }));
  EXPECT_EQ(looks, 7);
}

}  // namespace
