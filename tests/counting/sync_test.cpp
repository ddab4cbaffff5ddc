// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include "overture/sync/countdown.hpp"
#include "overture/sync/event_count.hpp"
#include "overture/sync/future.hpp"
#include "overture/sync/parking_word.hpp"
#include "support/wake_calls.hpp"
#include "sync/wait.hpp"

namespace overture::sync_test {
namespace {

using counting::recording;

TEST(a_future, is_got_with_one_load_when_it_is_ready) {
  future_storage<int> place;
  promise<int> made(place);
  const auto future = made.future();
  made.set_value(7);
  const recording seen;
  EXPECT_EQ(future.get().value(), 7);
  EXPECT_EQ(seen.total().loads, 1u);
  EXPECT_EQ(seen.total().writes(), 0u);
}

TEST(a_future, is_set_with_two_read_modify_writes_without_waiters) {
  const std::uint64_t wakes = test::wake_calls();
  future_storage<int> place;
  promise<int> made(place);
  const recording seen;
  made.set_value(7);
  EXPECT_EQ(seen.total().writes(), 2u);
  EXPECT_EQ(test::wake_calls(), wakes);
}

TEST(a_countdown, is_waited_for_with_one_load_when_it_is_done) {
  countdown left(2);
  {
    const recording seen;
    left.done();
    EXPECT_EQ(seen.total().writes(), 1u);
  }
  {
    const recording seen;
    left.done();
    EXPECT_EQ(seen.total().writes(), 2u);
  }
  const recording seen;
  left.wait();
  EXPECT_EQ(seen.total().loads, 1u);
  EXPECT_EQ(seen.total().writes(), 0u);
}

TEST(an_event_count, is_notified_with_one_read_modify_write_without_waiters) {
  event_count changed;
  const recording seen;
  changed.notify_one();
  EXPECT_EQ(seen.total().writes(), 1u);
  EXPECT_EQ(seen.total().loads, 0u);
}

TEST(a_parking_word, takes_and_leaves_a_permit_with_one_read_modify_write_each) {
  parking_word own;
  {
    const recording seen;
    own.unpark();
    EXPECT_EQ(seen.total().writes(), 1u);
  }
  const recording seen;
  own.park();
  EXPECT_EQ(seen.total().writes(), 1u);
}

}  // namespace
}  // namespace overture::sync_test
