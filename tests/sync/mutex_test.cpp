// SPDX-License-Identifier: Zlib
#include "sync/mutex.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "overture/base/thread.hpp"
#include "support/recording_observer.hpp"
#include "support/wake_calls.hpp"
#include "sync/wait.hpp"

namespace overture::mutex_test {
namespace {

using namespace sync_detail;
using test::recording_observer;

TEST(mutexes, admit_one_thread_at_a_time) {
  constexpr int threads = 6;
  constexpr int rounds = 5000;
  sync_detail::mutex lock;
  int value = 0;
  const auto add = [&] {
    for (int i = 0; i < rounds; ++i) {
      const sync_detail::scoped_lock hold(lock);
      ++value;
    }
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(add);
  add();
  for (auto& thread : others) thread.join();
  EXPECT_EQ(value, threads * rounds);
}

TEST(mutexes, can_be_tried) {
  sync_detail::mutex lock;
  for (int i = 0; i < 2; ++i) {
    if (!lock.try_lock()) FAIL() << "it is free";
    const bool again = lock.try_lock();
    EXPECT_FALSE(again);
    lock.unlock();
  }
}

TEST(mutexes, cost_no_system_call_without_contention) {
  const recording_observer observer;
  const wait_counts before = wait_layer::counts();
  const std::uint64_t wakes = test::wake_calls();
  sync_detail::mutex lock;
  for (int i = 0; i < 3; ++i) {
    const sync_detail::scoped_lock hold(lock);
  }
  EXPECT_EQ(test::wake_calls(), wakes);
  EXPECT_EQ(wait_layer::counts().waits, before.waits);
  EXPECT_EQ(observer.begun.load(), 0);
}

TEST(mutexes, report_a_wait_that_blocks_as_one_for_a_lock) {
  const wait_counts before = wait_layer::counts();
  sync_detail::mutex lock;
  lock.lock();
  int begun = 0;
  const char* reason = nullptr;
  std::thread waiter([&] {
    const recording_observer observer;
    const sync_detail::scoped_lock hold(lock);
    begun = observer.begun.load();
    reason = observer.last_reason.load();
  });
  while (wait_layer::counts().waits == before.waits) yield_thread();
  lock.unlock();
  waiter.join();
  EXPECT_EQ(begun, 1);
  EXPECT_STREQ(reason, wait_reasons::lock);
}

TEST(mutexes, wake_every_thread_that_sleeps_in_turn) {
  const wait_counts before = wait_layer::counts();
  sync_detail::mutex lock;
  int value = 0;
  lock.lock();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const sync_detail::scoped_lock hold(lock);
      ++value;
    });
  }
  while (wait_layer::counts().waits - before.waits < 4) yield_thread();
  lock.unlock();
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(value, 4);
}

}  // namespace
}  // namespace overture::mutex_test
