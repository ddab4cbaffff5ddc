// SPDX-License-Identifier: Zlib
#include "jobs/queues/submitter_rotation.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace overture::jobs_detail::submitter_rotation_test {
namespace {

constexpr unsigned slots = 5;
constexpr unsigned any = 4;

class submitter_rotations : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(queue_.initialise(default_allocator()));
    ASSERT_TRUE(other_.initialise(default_allocator()));
  }
  void push(job_deque& queue, int count) {
    for (; count != 0; --count) {
      ASSERT_TRUE(queue.make_room());
      queue.push(record_);
    }
  }

  job_record record_;
  job_deque queue_;
  job_deque other_;
  submitter_rotation turn_;
};

TEST_F(submitter_rotations, begin_anywhere) {
  EXPECT_EQ(turn_.first(slots, any), any);
}

TEST_F(submitter_rotations, last_for_what_lay_there) {
  push(queue_, 3);
  (void)queue_.steal();
  turn_.took_from(2, queue_);
  push(queue_, 10);
  EXPECT_EQ(turn_.left(), 2u);
  EXPECT_EQ(turn_.first(slots, any), 2u);
  (void)queue_.steal();
  turn_.took_from(2, queue_);
  EXPECT_EQ(turn_.left(), 1u);
}

// A frame's jobs come in bunches, and a worker that is awake finds the first.
TEST_F(submitter_rotations, go_on_once_with_what_has_come_by_then) {
  push(queue_, 1);
  turn_.took_from(2, queue_);
  push(queue_, 2);
  (void)queue_.steal();
  EXPECT_EQ(turn_.left(), 0u);
  EXPECT_EQ(turn_.first(slots, any), 2u);
  EXPECT_EQ(turn_.left(), 2u);
  turn_.took_from(2, queue_);
  push(queue_, 2);
  (void)queue_.steal();
  EXPECT_EQ(turn_.left(), 1u);
  (void)queue_.steal();
  EXPECT_EQ(turn_.first(slots, any), 3u) << "the next one";
  EXPECT_EQ(turn_.first(slots, any), any);
}

TEST_F(submitter_rotations, of_the_same_thread_later_go_on_again) {
  for (int i = 0; i < 2; ++i) {
    push(queue_, 1);
    turn_.took_from(2, queue_);
    push(queue_, 1);
    (void)queue_.steal();
    EXPECT_EQ(turn_.first(slots, any), 2u);
    (void)queue_.steal();
    EXPECT_EQ(turn_.first(slots, any), 3u);
  }
}

TEST_F(submitter_rotations, go_round) {
  push(queue_, 1);
  turn_.took_from(slots - 1, queue_);
  (void)queue_.steal();
  EXPECT_EQ(turn_.first(slots, any), 0u);
}

TEST_F(submitter_rotations, pass_to_the_thread_that_was_found_instead) {
  push(queue_, 3);
  turn_.took_from(2, queue_);
  push(other_, 2);
  turn_.took_from(3, other_);
  EXPECT_EQ(turn_.left(), 2u);
  EXPECT_EQ(turn_.first(slots, any), 3u);
}

TEST_F(submitter_rotations, end_where_others_have_taken_more) {
  push(queue_, 1);
  turn_.took_from(2, queue_);
  push(queue_, 2);
  (void)queue_.steal();
  (void)queue_.steal();
  EXPECT_EQ(turn_.left(), 0u);
}

}  // namespace
}  // namespace overture::jobs_detail::submitter_rotation_test
