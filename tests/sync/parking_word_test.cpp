// SPDX-License-Identifier: Zlib
#include "overture/sync/parking_word.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "overture/base/thread.hpp"
#include "support/guards.hpp"
#include "support/recording_observer.hpp"
#include "support/wake_calls.hpp"
#include "sync/wait.hpp"

namespace overture::parking_word_test {
namespace {

using namespace sync_detail;
using namespace std::chrono_literals;
using test::recording_observer;

TEST(parking_words, take_a_permit_that_is_there_without_a_system_call) {
  const recording_observer observer;
  const std::uint64_t wakes = test::wake_calls();
  const test::no_alloc_scope no_alloc;
  const test::no_lock_scope no_lock;
  parking_word own;
  own.unpark();
  own.unpark();
  own.park();
  EXPECT_FALSE(own.try_park()) << "two permits count as one";
  own.unpark();
  EXPECT_TRUE(own.try_park());
  EXPECT_EQ(observer.begun.load(), 0);
  EXPECT_EQ(test::wake_calls(), wakes);
}

TEST(parking_words, wake_their_thread) {
  const wait_counts before = wait_layer::counts();
  parking_word own;
  int value = 0;
  std::thread parked([&] {
    own.park();
    EXPECT_EQ(value, 42);
  });
  while (wait_layer::counts().waits == before.waits) yield_thread();
  value = 42;
  own.unpark();
  parked.join();
}

TEST(parking_words, time_out_without_taking_a_permit) {
  parking_word own;
  const auto deadline = std::chrono::steady_clock::now() + 2ms;
  EXPECT_FALSE(own.park_until(deadline));
  EXPECT_GE(std::chrono::steady_clock::now(), deadline);
  EXPECT_FALSE(own.park_for(-1s));
  own.unpark();
  EXPECT_TRUE(own.park_for(-1s)) << "taking an existing permit needs no time";
}

TEST(parking_words, report_a_wait_that_blocks_with_its_reason) {
  const recording_observer observer;
  parking_word own;
  EXPECT_FALSE(own.park_for(1ms));
  EXPECT_STREQ(observer.last_reason.load(), wait_reasons::parked);
  EXPECT_FALSE(own.park_for(1ms, {.reason = "a reason"}));
  EXPECT_STREQ(observer.last_reason.load(), "a reason");
  EXPECT_EQ(observer.ended.load(), 2);
}

TEST(parking_words, lose_no_permit_between_two_threads) {
  constexpr int rounds = 5000;
  parking_word first;
  parking_word second;
  int value = 0;
  std::thread other([&] {
    for (int i = 0; i < rounds; ++i) {
      second.park({.spin = i % 2 == 0 ? spin_policy::none() : spin_policy::ladder()});
      ++value;
      first.unpark();
    }
  });
  for (int i = 0; i < rounds; ++i) {
    ++value;
    second.unpark();
    // Sometimes a timeout and an unpark() coincide.
    if (i % 3 != 0 || !first.park_for(std::chrono::nanoseconds(500 + i))) first.park();
  }
  other.join();
  EXPECT_EQ(value, 2 * rounds);
}

TEST(parking_words, may_be_destroyed_by_their_thread) {
  for (int round = 0; round < 1000; ++round) {
    auto* const own = new parking_word;
    std::thread other([own] { own->unpark(); });
    own->park();
    delete own;
    other.join();
  }
}

}  // namespace
}  // namespace overture::parking_word_test
