// SPDX-License-Identifier: Zlib
#include "overture/sync/barricade.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "overture/base/thread.hpp"
#include "support/guards.hpp"
#include "support/recording_observer.hpp"
#include "support/wake_calls.hpp"
#include "sync/wait.hpp"

namespace overture::barricade_test {
namespace {

using namespace sync_detail;
using namespace std::chrono_literals;
using test::recording_observer;

class barricades : public testing::Test {
 protected:
  void await_sleepers(std::uint64_t count) const {
    while (wait_layer::counts().waits - before_.waits < count) yield_thread();
  }
  // Calls of the wait layer since the start of the test.
  [[nodiscard]] std::uint64_t sleeps() const { return wait_layer::counts().waits - before_.waits; }
  [[nodiscard]] std::uint64_t wakes() const { return test::wake_calls() - wakes_before_; }

  const wait_counts before_ = wait_layer::counts();
  const std::uint64_t wakes_before_ = test::wake_calls();
};

TEST_F(barricades, are_four_bytes) {
  EXPECT_EQ(sizeof(barricade), 4u);
}

TEST_F(barricades, tell_their_state) {
  barricade door;
  EXPECT_FALSE(door.is_lowered());
  door.lower();
  EXPECT_TRUE(door.is_lowered());
  door.lower();
  EXPECT_TRUE(door.is_lowered());
  door.raise();
  EXPECT_FALSE(door.is_lowered());
  EXPECT_TRUE(barricade{barricade::lowered}.is_lowered());
}

TEST_F(barricades, let_through_at_once_when_lowered_before_the_wait) {
  const recording_observer observer;
  barricade door;
  door.lower();
  {
    const test::no_alloc_scope no_alloc;
    const test::no_lock_scope no_lock;
    door.wait();
    EXPECT_TRUE(door.wait_for(1h));
  }
  EXPECT_EQ(observer.begun.load(), 0);
  EXPECT_EQ(sleeps(), 0u);
}

TEST_F(barricades, cost_no_system_call_without_waiters) {
  const test::no_alloc_scope no_alloc;
  const test::no_lock_scope no_lock;
  barricade door;
  for (int i = 0; i < 3; ++i) {
    door.lower();
    door.raise();
  }
  door.lower();
  door.lower();
  EXPECT_EQ(wakes(), 0u);
}

TEST_F(barricades, release_all_waiters) {
  barricade door;
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) threads.emplace_back([&door] { door.wait(); });
  await_sleepers(16);
  door.lower();
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wakes(), 1u);
}

TEST_F(barricades, release_all_waiters_even_if_raised_again_at_once) {
  barricade door;
  for (int round = 0; round < 20; ++round) {
    const std::uint64_t asleep = sleeps();
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&door] { door.wait(); });
    await_sleepers(asleep + 4);
    door.lower();
    door.raise();
    for (auto& thread : threads) thread.join();
    EXPECT_FALSE(door.is_lowered());
  }
}

TEST_F(barricades, hold_threads_that_arrive_after_a_pulse) {
  barricade door;
  door.lower();
  door.raise();
  EXPECT_FALSE(door.wait_for(1ms));
}

TEST_F(barricades, show_what_was_written_before_the_lowering) {
  barricade door;
  int value = 0;
  std::thread writer([&] {
    value = 42;
    door.lower();
  });
  door.wait();
  EXPECT_EQ(value, 42);
  writer.join();
}

TEST_F(barricades, show_what_was_written_before_a_second_lowering) {
  barricade door;
  atomic<bool> lowered_again{false};
  int value = 0;
  door.lower();
  std::thread writer([&] {
    value = 42;
    door.lower();
    lowered_again.store(true, std::memory_order_relaxed);  // imposes no order of its own
  });
  while (!lowered_again.load(std::memory_order_relaxed)) yield_thread();
  door.wait();
  EXPECT_EQ(value, 42);
  writer.join();
}

TEST_F(barricades, give_up_when_time_runs_out) {
  barricade door;
  const auto deadline = std::chrono::steady_clock::now() + 2ms;
  EXPECT_FALSE(door.wait_until(deadline));
  EXPECT_GE(std::chrono::steady_clock::now(), deadline);
  EXPECT_FALSE(door.wait_for(0ns));
  EXPECT_FALSE(door.wait_for(-5s));
  EXPECT_FALSE(door.wait_until(std::chrono::steady_clock::time_point::min()));
}

TEST_F(barricades, let_through_in_time_when_lowered) {
  barricade door;
  bool in_time = false;
  std::thread waiter([&] { in_time = door.wait_for(std::chrono::nanoseconds::max()); });
  await_sleepers(1);
  door.lower();
  waiter.join();
  EXPECT_TRUE(in_time);
  EXPECT_TRUE(door.wait_until(std::chrono::steady_clock::time_point::min()));
}

TEST_F(barricades, waste_at_most_one_wake_on_waiters_that_have_given_up) {
  barricade door;
  EXPECT_FALSE(door.wait_for(1ms));
  EXPECT_FALSE(door.wait_for(1ms));
  for (int i = 0; i < 3; ++i) {
    door.lower();
    door.raise();
  }
  EXPECT_LE(wakes(), 1u);
}

TEST_F(barricades, report_a_wait_that_blocks_with_its_reason) {
  barricade door;
  int begun = 0;
  int ended = 0;
  const char* reason = nullptr;
  std::thread waiter([&] {
    const recording_observer observer;
    door.wait({.reason = "a reason"});
    begun = observer.begun.load();
    ended = observer.ended.load();
    reason = observer.last_reason.load();
  });
  await_sleepers(1);
  door.lower();
  waiter.join();
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(ended, 1);
  EXPECT_STREQ(reason, "a reason");
}

TEST_F(barricades, may_be_destroyed_by_a_thread_that_they_let_through) {
  for (int round = 0; round < 2000; ++round) {
    auto* const door = new barricade;
    std::thread lowering([door] { door->lower(); });
    door->wait();
    delete door;
    lowering.join();
  }
}

// With a flag and a separate event, a lower() that overlaps a raise() could be lost: the raise()
// would close for good what another thread has already opened.
TEST_F(barricades, lose_no_lowering_that_overlaps_a_raising) {
  for (int round = 0; round < 2000; ++round) {
    barricade door{barricade::lowered};
    std::thread raising([&door] { door.raise(); });
    while (door.is_lowered()) yield_thread();
    door.lower();  // comes after the raise() whose effect it has seen
    door.wait();
    raising.join();
    EXPECT_TRUE(door.is_lowered());
  }
}

TEST_F(barricades, stay_right_when_many_threads_meet_again_and_again) {
  constexpr unsigned threads = 6;
  constexpr unsigned hurdles = 300;
  std::vector<barricade> doors(hurdles);
  std::vector<atomic<unsigned>> arrived(hurdles);
  std::vector<unsigned> written(hurdles, 0);
  const auto run = [&] {
    for (unsigned i = 0; i < hurdles; ++i) {
      if (arrived[i].fetch_add(1) + 1 == threads) {
        written[i] = i + 1;
        doors[i].lower();
      }
      doors[i].wait();
      ASSERT_EQ(written[i], i + 1);
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back(run);
  run();
  for (auto& thread : others) thread.join();
}

}  // namespace
}  // namespace overture::barricade_test
