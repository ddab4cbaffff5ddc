// SPDX-License-Identifier: Zlib
//
// How many threads may read at a time.
#include "io/schedule/thread_sizing.hpp"

#include <gtest/gtest.h>

namespace overture::io_detail::thread_sizing_test {
namespace {

TEST(thread_sizing, any_number_may_read_where_nothing_is_sized) {
  thread_sizing all({.fewest = 1, .most = 0});
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(all.may_begin());
    all.begin();
  }
  EXPECT_FALSE(all.is_sized());
}

TEST(thread_sizing, one_more_may_begin_when_another_has_ended) {
  thread_sizing all({.fewest = 2, .most = 8});
  all.begin();
  EXPECT_TRUE(all.may_begin());
  all.begin();
  EXPECT_FALSE(all.may_begin());
  all.end();
  EXPECT_TRUE(all.may_begin());
}

TEST(thread_sizing, the_number_grows_with_what_the_disk_answers_once_in_a_period) {
  thread_sizing all({.fewest = 2, .most = 8});
  thread_sizing::sample now{.now_ns = 10'000'000, .reads = 1'000, .usual_read_ns = 1'000'000};
  const auto next_period = [&] {
    now.now_ns += 10'000'000;
    now.reads += 100 * all.count();  // twice as many threads bring twice as much
    now.bytes += std::uint64_t{1'000'000} * all.count();
    all.note(now);
  };
  all.note(now);
  next_period();
  EXPECT_EQ(all.count(), 4u);
  all.note({.now_ns = now.now_ns + 1, .reads = now.reads + 10'000, .usual_read_ns = 1'000'000});
  EXPECT_EQ(all.count(), 4u) << "too short a period";
  next_period();
  EXPECT_EQ(all.count(), 8u);
}

}  // namespace
}  // namespace overture::io_detail::thread_sizing_test
