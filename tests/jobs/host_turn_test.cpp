#include "jobs/host_turn.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace overture {
namespace {

constexpr unsigned places = 5;
constexpr unsigned any = 4;

class host_turns : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(lane_.initialise(default_allocator()));
    ASSERT_TRUE(other_.initialise(default_allocator()));
  }
  void push(job_deque& lane, int count) {
    for (; count != 0; --count) {
      ASSERT_TRUE(lane.make_room());
      lane.push(record_);
    }
  }

  job_record record_;
  job_deque lane_;
  job_deque other_;
  host_turn turn_;
};

TEST_F(host_turns, begin_anywhere) {
  EXPECT_EQ(turn_.first(places, any), any);
}

TEST_F(host_turns, last_for_what_lay_there) {
  push(lane_, 3);
  (void)lane_.steal();
  turn_.took_from(2, lane_);
  push(lane_, 10);
  EXPECT_EQ(turn_.left(), 2u);
  EXPECT_EQ(turn_.first(places, any), 2u);
  (void)lane_.steal();
  turn_.took_from(2, lane_);
  EXPECT_EQ(turn_.left(), 1u);
}

// A frame's jobs come in bunches, and a worker that is awake finds the first.
TEST_F(host_turns, go_on_once_with_what_has_come_by_then) {
  push(lane_, 1);
  turn_.took_from(2, lane_);
  push(lane_, 2);
  (void)lane_.steal();
  EXPECT_EQ(turn_.left(), 0u);
  EXPECT_EQ(turn_.first(places, any), 2u);
  EXPECT_EQ(turn_.left(), 2u);
  turn_.took_from(2, lane_);
  push(lane_, 2);
  (void)lane_.steal();
  EXPECT_EQ(turn_.left(), 1u);
  (void)lane_.steal();
  EXPECT_EQ(turn_.first(places, any), 3u) << "the next one";
  EXPECT_EQ(turn_.first(places, any), any);
}

TEST_F(host_turns, of_the_same_thread_later_go_on_again) {
  for (int i = 0; i < 2; ++i) {
    push(lane_, 1);
    turn_.took_from(2, lane_);
    push(lane_, 1);
    (void)lane_.steal();
    EXPECT_EQ(turn_.first(places, any), 2u);
    (void)lane_.steal();
    EXPECT_EQ(turn_.first(places, any), 3u);
  }
}

TEST_F(host_turns, go_round) {
  push(lane_, 1);
  turn_.took_from(places - 1, lane_);
  (void)lane_.steal();
  EXPECT_EQ(turn_.first(places, any), 0u);
}

TEST_F(host_turns, pass_to_the_thread_that_was_found_instead) {
  push(lane_, 3);
  turn_.took_from(2, lane_);
  push(other_, 2);
  turn_.took_from(3, other_);
  EXPECT_EQ(turn_.left(), 2u);
  EXPECT_EQ(turn_.first(places, any), 3u);
}

TEST_F(host_turns, end_where_others_have_taken_more) {
  push(lane_, 1);
  turn_.took_from(2, lane_);
  push(lane_, 2);
  (void)lane_.steal();
  (void)lane_.steal();
  EXPECT_EQ(turn_.left(), 0u);
}

}  // namespace
}  // namespace overture
