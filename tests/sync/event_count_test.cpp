// SPDX-License-Identifier: Zlib
#include "overture/sync/event_count.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "overture/base/thread.hpp"
#include "support/guards.hpp"
#include "support/recording_observer.hpp"
#include "support/wake_calls.hpp"
#include "sync/wait.hpp"

namespace overture::event_count_test {
namespace {

using namespace sync_detail;
using namespace std::chrono_literals;
using test::recording_observer;

class event_counts : public testing::Test {
 protected:
  void await_sleepers(std::uint64_t count) const {
    while (wait_layer::counts().waits - before_.waits < count) yield_thread();
  }
  [[nodiscard]] std::uint64_t wakes() const { return test::wake_calls() - wakes_before_; }
  const wait_counts before_ = wait_layer::counts();
  const std::uint64_t wakes_before_ = test::wake_calls();
};

TEST_F(event_counts, cost_no_system_call_without_waiters) {
  const test::no_alloc_scope no_alloc;
  const test::no_lock_scope no_lock;
  event_count changed;
  changed.notify_one();
  changed.notify_all();
  (void)changed.prepare_wait();
  changed.cancel_wait();
  changed.notify_one();
  EXPECT_EQ(wakes(), 0u);
}

TEST_F(event_counts, do_not_sleep_if_notified_since_the_announcement) {
  const recording_observer observer;
  event_count changed;
  const auto key = changed.prepare_wait();
  changed.notify_one();
  changed.wait(key);
  EXPECT_EQ(observer.begun.load(), 0);
}

TEST_F(event_counts, call_the_condition_once_if_it_is_true) {
  event_count changed;
  int looks = 0;
  changed.await([&] { return ++looks == 1; });
  EXPECT_EQ(looks, 1);
}

TEST_F(event_counts, wake_a_sleeper_when_its_condition_becomes_true) {
  event_count changed;
  atomic<bool> ready{false};
  int value = 0;
  std::thread waiter([&] {
    changed.await([&] { return ready.load(std::memory_order_relaxed); });
    EXPECT_EQ(value, 42);
  });
  await_sleepers(1);
  value = 42;
  ready.store(true, std::memory_order_relaxed);
  changed.notify_one();
  waiter.join();
}

TEST_F(event_counts, wake_all_waiters) {
  event_count changed;
  atomic<bool> ready{false};
  std::vector<std::thread> waiters;
  for (int i = 0; i < 8; ++i) {
    waiters.emplace_back([&] { changed.await([&] { return ready.load(); }); });
  }
  await_sleepers(8);
  ready.store(true);
  changed.notify_all();
  for (auto& waiter : waiters) waiter.join();
}

TEST_F(event_counts, give_up_when_time_runs_out) {
  event_count changed;
  const auto deadline = std::chrono::steady_clock::now() + 2ms;
  while (changed.wait_until(changed.prepare_wait(), deadline)) {
  }
  EXPECT_GE(std::chrono::steady_clock::now(), deadline);
  EXPECT_FALSE(changed.wait_for(changed.prepare_wait(), 0ns));
  changed.notify_all();
  EXPECT_EQ(wakes(), 0u) << "a waiter that gave up is still counted";
}

TEST_F(event_counts, report_a_wait_that_blocks_with_its_reason) {
  event_count changed;
  const recording_observer observer;
  (void)changed.wait_for(changed.prepare_wait(), 1ms);
  EXPECT_STREQ(observer.last_reason.load(), wait_reasons::event_count);
  (void)changed.wait_for(changed.prepare_wait(), 1ms, {.reason = "a reason"});
  EXPECT_STREQ(observer.last_reason.load(), "a reason");
  EXPECT_EQ(observer.begun.load(), observer.ended.load());
}

// Each item is announced to one thread; none may sleep while an item is left.
TEST_F(event_counts, feed_several_consumers_from_several_producers) {
  constexpr int items_each = 4000;
  event_count changed;
  atomic<int> items{0};
  atomic<int> taken{0};
  const auto take = [&items] {
    int seen = items.load();
    while (seen > 0 && !items.compare_exchange_weak(seen, seen - 1)) {
    }
    return seen > 0;
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < items_each; ++n) {
        changed.await(take, {.spin = n % 2 == 0 ? spin_policy::none() : spin_policy::ladder()});
        taken.fetch_add(1);
      }
    });
    threads.emplace_back([&] {
      for (int n = 0; n < items_each; ++n) {
        items.fetch_add(1);
        changed.notify_one();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(taken.load(), 3 * items_each);
  EXPECT_EQ(items.load(), 0);
}

TEST(a_condition, that_throws_leaves_await_and_no_waiter) {
  event_count events;
  int looks = 0;
  EXPECT_THROW(events.await([&]() -> bool {
    if (++looks == 2) throw 3;
    return false;
  }),
               int);
  EXPECT_EQ(looks, 2);
  // With a waiter left over, this would make a system call.
  const std::uint64_t wakes = test::wake_calls();
  events.notify_all();
  EXPECT_EQ(test::wake_calls(), wakes);
}

}  // namespace
}  // namespace overture::event_count_test
