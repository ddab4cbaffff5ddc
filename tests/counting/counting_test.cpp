// SPDX-License-Identifier: Zlib
//
// Checks that the instrument itself counts.
#include <gtest/gtest.h>

#include <thread>

#include "overture/base/atomic.hpp"

namespace overture::counting_test {
namespace {

TEST(counting_atomics, are_as_large_as_real_ones) {
  static_assert(sizeof(atomic<std::uint32_t>) == sizeof(std::atomic<std::uint32_t>));
  static_assert(sizeof(atomic<void*>) == sizeof(std::atomic<void*>));
}

TEST(counting_atomics, count_by_kind_and_object) {
  atomic<int> first{0};
  atomic<int> second{0};
  const counting::recording seen;
  (void)first.load();
  first.store(1);
  first.fetch_add(1);
  int expected = 5;
  EXPECT_FALSE(first.compare_exchange_strong(expected, 6));
  (void)second.exchange(3);
  EXPECT_EQ(seen.of(first).loads, 1u);
  EXPECT_EQ(seen.of(first).stores, 1u);
  EXPECT_EQ(seen.of(first).read_modify_writes, 2u);
  EXPECT_EQ(seen.of(second).read_modify_writes, 1u);
  EXPECT_EQ(seen.total().writes(), 4u);
  EXPECT_EQ(seen.end() - seen.begin(), 2);
}

TEST(counting_atomics, count_their_own_thread_only) {
  atomic<int> value{0};
  const counting::recording seen;
  std::thread([&value] { value.store(1); }).join();
  EXPECT_EQ(seen.total().writes(), 0u);
}

TEST(counting_atomics, count_in_the_innermost_recording) {
  atomic<int> value{0};
  const counting::recording outer;
  {
    const counting::recording inner;
    (void)value.load();
    EXPECT_EQ(inner.total().loads, 1u);
  }
  EXPECT_EQ(outer.total().loads, 0u);
  (void)value.load();
  EXPECT_EQ(outer.total().loads, 1u);
}

}  // namespace
}  // namespace overture::counting_test
