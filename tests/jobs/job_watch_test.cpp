#include "jobs/job_watch.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace overture {
namespace {

class job_watches : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(lane_.initialise(default_allocator()));
    watch_.follow(lane_);
    lane_.expect(&records_[0]);
  }
  void push(job_record& record) {
    ASSERT_TRUE(lane_.make_room());
    record.arm([] {}, nullptr, {}, job_record::usual);
    lane_.push(record);
  }

  job_deque lane_;
  std::vector<job_record> records_{2};
  job_watch watch_;
};

TEST_F(job_watches, see_the_job_come_and_take_it_once) {
  watch_.begin();
  EXPECT_FALSE(watch_.has_come());
  EXPECT_EQ(watch_.take(), nullptr);
  watch_.begin();
  push(records_[0]);
  ASSERT_TRUE(watch_.has_come());
  EXPECT_EQ(watch_.take(), &records_[0]);
  EXPECT_FALSE(watch_.has_come());
  EXPECT_EQ(watch_.take(), nullptr);
  EXPECT_FALSE(records_[0].claim()) << "it is claimed";
}

TEST_F(job_watches, see_it_before_its_hint_is_there) {
  watch_.begin();
  records_[0].arm([] {}, nullptr, {}, job_record::usual);
  EXPECT_TRUE(watch_.has_come());
}

TEST_F(job_watches, do_not_take_what_another_thread_has_claimed) {
  watch_.begin();
  push(records_[0]);
  ASSERT_TRUE(records_[0].claim());
  EXPECT_FALSE(watch_.has_come());
  EXPECT_EQ(watch_.take(), nullptr);
}

TEST_F(job_watches, leave_the_job_to_its_turn_behind_older_ones) {
  push(records_[1]);
  watch_.begin();
  push(records_[0]);
  EXPECT_FALSE(watch_.has_come());
  EXPECT_EQ(watch_.take(), nullptr);
}

TEST_F(job_watches, leave_a_record_alone_that_goes_elsewhere) {
  watch_.begin();
  records_[0].arm([] {}, nullptr, {}, job_record::linked);  // to the main thread, say
  EXPECT_FALSE(watch_.has_come());
  EXPECT_EQ(watch_.take(), nullptr);
  EXPECT_TRUE(records_[0].claim());
  (void)records_[0].unlink();
  push(records_[0]);  // another life
  EXPECT_FALSE(watch_.has_come());
}

TEST_F(job_watches, leave_a_record_alone_that_is_in_use_by_now) {
  records_[0].arm([] {}, nullptr, {}, job_record::usual);
  watch_.begin();
  EXPECT_FALSE(watch_.has_come());
  EXPECT_EQ(watch_.take(), nullptr);
}

TEST_F(job_watches, watch_nothing_where_nothing_is_known) {
  lane_.expect(nullptr);
  watch_.begin();
  EXPECT_FALSE(watch_.has_come());
  job_watch of_no_queue;
  of_no_queue.begin();
  EXPECT_FALSE(of_no_queue.has_come());
  of_no_queue.drop_hint(records_[0]);
}

TEST_F(job_watches, take_the_hint_of_their_job_off_the_queue_and_no_other) {
  watch_.begin();
  push(records_[0]);
  ASSERT_EQ(watch_.take(), &records_[0]);
  push(records_[1]);
  watch_.drop_hint(records_[1]);
  EXPECT_EQ(lane_.size(), 2u) << "that is not the oldest";
  watch_.drop_hint(records_[0]);
  EXPECT_EQ(lane_.size(), 1u);
  watch_.drop_hint(records_[0]);
  EXPECT_EQ(lane_.steal_record(), &records_[1]);
  watch_.drop_hint(records_[0]);
  EXPECT_TRUE(lane_.empty());
}

}  // namespace
}  // namespace overture
