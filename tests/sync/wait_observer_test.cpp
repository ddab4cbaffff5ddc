// SPDX-License-Identifier: Zlib
#include "overture/sync/wait_observer.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "support/recording_observer.hpp"

namespace overture::wait_observer_test {
namespace {

using test::recording_observer;

TEST(wait_observers, belong_to_one_thread) {
  recording_observer observer;
  EXPECT_EQ(current_wait_observer(), &observer);
  std::thread([] { EXPECT_EQ(current_wait_observer(), nullptr); }).join();
}

TEST(wait_observers, are_given_back_when_another_one_is_set) {
  recording_observer observer;
  EXPECT_EQ(set_wait_observer(nullptr), &observer);
  EXPECT_EQ(set_wait_observer(&observer), nullptr);
}

TEST(wait_observers, hear_of_both_ends_of_a_wait) {
  recording_observer observer;
  {
    const observed_wait wait("a reason");
    EXPECT_EQ(observer.begun.load(), 1);
    EXPECT_EQ(observer.ended.load(), 0);
    EXPECT_STREQ(observer.last_reason.load(), "a reason");
  }
  EXPECT_EQ(observer.ended.load(), 1);
}

TEST(wait_observers, need_not_exist) {
  ASSERT_EQ(current_wait_observer(), nullptr);
  const observed_wait wait("a reason");
}

TEST(wait_observers, hear_of_the_end_even_if_replaced_meanwhile) {
  recording_observer first;
  {
    const observed_wait wait("a reason");
    set_wait_observer(nullptr);
  }
  EXPECT_EQ(first.ended.load(), 1);
}

TEST(wait_observers, go_in_any_order) {
  recording_observer bottom;
  class passing final : public wait_observer {
   public:
    passing() { next = set_wait_observer(this); }
    void wait_begins(const char* reason) noexcept override {
      ++begun;
      next->wait_begins(reason);
    }
    void wait_ends() noexcept override { next->wait_ends(); }

    int begun = 0;
  } middle, top;
  remove_wait_observer(middle);
  {
    const observed_wait wait("a reason");
  }
  EXPECT_EQ(middle.begun, 0);
  EXPECT_EQ(top.begun, 1);
  EXPECT_EQ(bottom.begun.load(), 1);
  remove_wait_observer(top);
  EXPECT_EQ(current_wait_observer(), &bottom);
  remove_wait_observer(top);
  EXPECT_EQ(current_wait_observer(), &bottom) << "it was removed before";
}

}  // namespace
}  // namespace overture::wait_observer_test
