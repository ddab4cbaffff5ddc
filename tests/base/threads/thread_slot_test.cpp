// SPDX-License-Identifier: Zlib
#include "base/threads/thread_slot.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "support/platform.hpp"

namespace overture::thread_slot_test {
using namespace base_detail;

namespace {

TEST(thread_slot, stays_the_same_for_a_thread) {
  EXPECT_EQ(thread_slot(), thread_slot());
}

TEST(thread_slot, living_threads_have_different_slots_and_ended_ones_give_theirs_back) {
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

// Constructed before the slot is taken, so that it outlives what is constructed with it.
struct late_asker {
  std::uint32_t* answer = nullptr;
  ~late_asker() { *answer = thread_slot(); }
};

TEST(thread_slot, is_there_for_destructors_at_the_end_of_the_thread) {
  if (on_windows) GTEST_SKIP() << "thread-local variables do not outlive each other in order here";
  std::uint32_t answer = 0;
  std::uint32_t before = 0;
  std::thread([&] {
    thread_local late_asker asker;
    asker.answer = &answer;
    before = thread_slot();
  }).join();
  EXPECT_NE(before, shared_thread_slot);
  EXPECT_TRUE(answer == before || answer == shared_thread_slot) << answer;
}

}  // namespace
}  // namespace overture::thread_slot_test
