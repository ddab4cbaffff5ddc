#include "base/thread_slot.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace overture {
namespace {

TEST(ThreadSlot, StaysTheSameForAThread) {
  EXPECT_EQ(thread_slot(), thread_slot());
}

TEST(ThreadSlot, LivingThreadsHaveDifferentSlotsAndEndedOnesGiveTheirsBack) {
  const std::uint32_t own = thread_slot();
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 3000; ++i) {
    std::uint32_t slot = 0;
    std::thread([&slot] { slot = thread_slot(); }).join();
    EXPECT_NE(slot, own);
    seen.insert(slot);
  }
  EXPECT_LT(seen.size(), 10u);
}

}  // namespace
}  // namespace overture
