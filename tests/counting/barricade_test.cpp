// SPDX-License-Identifier: Zlib
#include "overture/sync/barricade.hpp"

#include <gtest/gtest.h>

#include "support/wake_calls.hpp"
#include "sync/mutex.hpp"
#include "sync/wait.hpp"

namespace overture::barricade_test {
namespace {

using counting::recording;

TEST(a_barricade, is_polled_with_one_load) {
  const barricade door;
  const recording seen;
  (void)door.is_lowered();
  EXPECT_EQ(seen.of(door).loads, 1u);
  EXPECT_EQ(seen.total().loads, 1u);
  EXPECT_EQ(seen.total().writes(), 0u);
}

TEST(a_barricade, lets_through_with_one_load_when_lowered) {
  barricade door{barricade::lowered};
  {
    const recording seen;
    door.wait();
    EXPECT_EQ(seen.total().loads, 1u);
    EXPECT_EQ(seen.total().writes(), 0u);
  }
  const recording seen;
  (void)door.wait_for(std::chrono::hours(1));
  EXPECT_EQ(seen.total().loads, 1u);
  EXPECT_EQ(seen.total().writes(), 0u);
}

TEST(a_barricade, is_lowered_with_one_read_modify_write_without_waiters) {
  const std::uint64_t wakes = test::wake_calls();
  barricade door;
  for (int i = 0; i < 2; ++i) {  // raised, then already lowered
    const recording seen;
    door.lower();
    EXPECT_EQ(seen.of(door).read_modify_writes, 1u);
    EXPECT_EQ(seen.total().writes(), 1u);
  }
  EXPECT_EQ(test::wake_calls(), wakes);
}

TEST(a_barricade, is_raised_with_one_read_modify_write) {
  barricade door{barricade::lowered};
  const recording seen;
  door.raise();
  EXPECT_EQ(seen.total().writes(), 1u);
  EXPECT_EQ(seen.total().loads, 0u);
}

TEST(a_mutex, costs_one_read_modify_write_each_way_without_contention) {
  sync_detail::mutex lock;
  {
    const recording seen;
    lock.lock();
    EXPECT_EQ(seen.total().writes(), 1u);
  }
  const recording seen;
  lock.unlock();
  EXPECT_EQ(seen.total().writes(), 1u);
}

}  // namespace
}  // namespace overture::barricade_test
