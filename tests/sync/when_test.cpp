// SPDX-License-Identifier: Zlib
#include "overture/sync/when.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "support/failing_allocator.hpp"

namespace overture::when_test {
namespace {

// Promises and their futures.
struct several {
  explicit several(int count) {
    for (int i = 0; i < count; ++i) {
      promises.push_back(std::move(*promise<int>::make()));
      futures.push_back(promises.back().future());
    }
  }
  std::span<const shared_future<int>> all() const { return futures; }

  std::vector<promise<int>> promises;
  std::vector<shared_future<int>> futures;
};

TEST(when_all, is_ready_once_all_are_whatever_their_outcome) {
  several some(3);
  const auto all = when_all(some.all());
  ASSERT_TRUE(all);
  some.promises[1].set_value(1);
  some.promises[0].set_error({.code = errc::io});
  EXPECT_FALSE(all->is_ready());
  some.promises[2].set_value(2);
  EXPECT_TRUE(all->is_ready());
  EXPECT_TRUE(all->get());
}

TEST(when_all, of_none_or_of_ready_ones_is_ready_at_once) {
  EXPECT_TRUE(when_all(std::span<const shared_future<int>>())->is_ready());
  several some(2);
  for (auto& each : some.promises) each.set_value(1);
  EXPECT_TRUE(when_all(some.all())->is_ready());
}

TEST(when_any, gives_the_index_of_the_first) {
  several some(3);
  const auto first = when_any(some.all());
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->is_ready());
  some.promises[2].set_value(1);
  EXPECT_EQ(first->get().value(), 2u);
  some.promises[0].set_value(1);
  EXPECT_EQ(first->get().value(), 2u);
}

TEST(when_any, of_none_is_an_error) {
  EXPECT_EQ(when_any(std::span<const shared_future<int>>()).error().code, errc::invalid);
}

TEST(when_any, may_be_dropped_before_the_others_are_ready) {
  failing_allocator memory(1'000);
  {
    several some(3);
    {
      EXPECT_TRUE(when_any(some.all(), memory));
    }
    EXPECT_NE(memory.live_bytes(), 0);
    some.promises[1].set_value(1);
  }
  EXPECT_EQ(memory.live_bytes(), 0);
}

TEST(when, without_memory_is_an_error_and_leaves_nothing) {
  several some(2);
  for (const std::uint64_t refused : {0u, 1u}) {
    failing_allocator of_all(refused);
    EXPECT_EQ(when_all(some.all(), of_all).error().code, errc::out_of_memory);
    EXPECT_EQ(of_all.live_bytes(), 0) << refused;
    failing_allocator of_any(refused);
    EXPECT_EQ(when_any(some.all(), of_any).error().code, errc::out_of_memory);
    EXPECT_EQ(of_any.live_bytes(), 0) << refused;
  }
}

TEST(when, hears_of_futures_that_become_ready_on_other_threads) {
  for (int round = 0; round < 50; ++round) {
    several some(4);
    std::vector<std::thread> threads;
    for (auto& each : some.promises) {
      threads.emplace_back([&each] { each.set_value(1); });
    }
    const auto all = when_all(some.all());
    const auto any = when_any(some.all());
    EXPECT_LT(any->get().value(), 4u);
    EXPECT_TRUE(all->get());
    for (const auto& each : some.futures) EXPECT_TRUE(each.is_ready());
    for (std::thread& each : threads) each.join();
  }
}

}  // namespace
}  // namespace overture::when_test
