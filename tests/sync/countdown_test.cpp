// SPDX-License-Identifier: Zlib
#include "overture/sync/countdown.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "support/recording_observer.hpp"

namespace overture::countdown_test {
namespace {

using namespace std::chrono_literals;

TEST(countdowns, are_done_when_all_are) {
  countdown left(3);
  EXPECT_EQ(left.left(), 3u);
  left.done();
  EXPECT_FALSE(left.is_done());
  left.done(2);
  EXPECT_TRUE(left.is_done());
  left.wait();
}

TEST(countdowns, of_nothing_are_done) {
  countdown left(0);
  EXPECT_TRUE(left.is_done());
  left.wait();
}

TEST(countdowns, may_be_added_to_before_they_are_done) {
  countdown left(1);
  left.add();
  left.done();
  EXPECT_FALSE(left.is_done());
  EXPECT_FALSE(left.wait_for(1ms));
  left.done();
  EXPECT_TRUE(left.wait_for(0ns));
  EXPECT_TRUE(left.wait_until(std::chrono::steady_clock::time_point::min()));
}

TEST(countdowns, begin_anew) {
  countdown left(1);
  left.done();
  left.reset(2);
  EXPECT_FALSE(left.is_done());
  left.done(2);
  EXPECT_TRUE(left.is_done());
  left.reset(0);
  EXPECT_TRUE(left.is_done());
}

TEST(countdowns, report_a_wait_that_blocks_with_its_reason) {
  const test::recording_observer observer;
  countdown left(1);
  EXPECT_FALSE(left.wait_for(1ms));
  EXPECT_STREQ(observer.last_reason.load(), wait_reasons::countdown);
}

TEST(countdowns, show_all_writes_and_may_be_destroyed_afterwards) {
  constexpr unsigned threads = 4;
  for (int round = 0; round < 300; ++round) {
    auto* const left = new countdown(threads);
    std::vector<int> written(threads, 0);
    std::vector<std::thread> others;
    for (unsigned i = 0; i < threads; ++i) {
      others.emplace_back([&, i] {
        written[i] = 1;
        left->done();
      });
    }
    left->wait();
    for (const int each : written) EXPECT_EQ(each, 1);
    delete left;
    for (auto& other : others) other.join();
  }
}

}  // namespace
}  // namespace overture::countdown_test
