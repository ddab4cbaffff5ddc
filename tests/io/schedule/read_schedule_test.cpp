// SPDX-License-Identifier: Zlib
//
// The order of reads, step by step on one thread.
#include "io/schedule/read_schedule.hpp"

#include <gtest/gtest.h>

#include "io/unpack/part_samples.hpp"
#include "overture/trace/timeline.hpp"
#include "support/failing_allocator.hpp"

namespace overture::io_detail::read_schedule_test {
namespace {

using test::some_file;
using test::wanting;

constexpr bundle_rules in_fours{
    .reads_max = 4, .share = 1, .span_ns_max = 1u << 30, .untried_ns = 1};

read_queue_config plain(allocator& memory = default_allocator()) {
  read_queue_config config;
  config.memory = &memory;
  config.merge_bytes_max = 0;
  return config;
}

class read_schedule_test : public testing::Test {
 protected:
  explicit read_schedule_test(allocator& memory = default_allocator())
      : schedule_(plain(memory), in_fours) {
    schedule_.add_bundle(bundle_);
  }
  void submit(std::span<read_request> requests) {
    for (read_request& each : requests) {
      each.queued_ns = now_ns();
      ASSERT_TRUE(schedule_.add(each, each.queued_ns));
    }
    schedule_.note_submitted(requests.size());
  }
  std::uint64_t waiting() { return schedule_.stats().queued[3]; }

  read_schedule schedule_;
  read_operation reads_[4];
  read_bundle bundle_{reads_, 4};
  read_operation single_;
  read_request requests_[5] = {wanting(0), wanting(10), wanting(20), wanting(30), wanting(40)};
};

TEST_F(read_schedule_test, takes_one_read_or_several_at_once) {
  submit(requests_);
  ASSERT_TRUE(schedule_.take(single_));
  EXPECT_EQ(single_.members()[0], &requests_[0]);
  ASSERT_TRUE(schedule_.take(bundle_));
  EXPECT_EQ(bundle_.taken(), 3u) << "one is taken, and then three of three may be";
  EXPECT_EQ(schedule_.stats().reads, 4u);
}

TEST_F(read_schedule_test, a_more_urgent_request_recalls_what_has_not_begun) {
  submit(std::span(requests_).first(4));
  ASSERT_TRUE(schedule_.take(bundle_));
  ASSERT_GT(bundle_.taken(), 1u);
  requests_[4].priority = read_priority::high;
  submit(std::span(requests_).last(1));
  EXPECT_EQ(waiting(), 3u);
  EXPECT_FALSE(bundle_.claim_next());
  ASSERT_TRUE(schedule_.take(single_));
  EXPECT_EQ(single_.members()[0], &requests_[4]);
}

TEST_F(read_schedule_test, a_thread_with_nothing_to_do_takes_what_another_has_not_begun) {
  submit(std::span(requests_).first(3));
  ASSERT_TRUE(schedule_.take(bundle_));
  ASSERT_EQ(bundle_.taken(), 2u);
  EXPECT_TRUE(schedule_.take(single_));
  EXPECT_EQ(single_.members()[0], &requests_[2]) << "what waits goes first";
  read_operation next;
  EXPECT_TRUE(schedule_.take(next));
  EXPECT_EQ(next.members()[0], &requests_[1]);
  EXPECT_FALSE(bundle_.claim_next());
}

TEST_F(read_schedule_test, a_request_is_removed_though_a_thread_had_taken_it) {
  submit(requests_);
  ASSERT_TRUE(schedule_.take(bundle_));
  EXPECT_FALSE(schedule_.remove(requests_[0])) << "it has begun";
  EXPECT_TRUE(schedule_.remove(requests_[1]));
  EXPECT_FALSE(schedule_.remove(requests_[1]));
}

TEST_F(read_schedule_test, nothing_is_taken_while_suspended) {
  submit(requests_);
  schedule_.suspend();
  EXPECT_FALSE(schedule_.has_waiting());
  EXPECT_FALSE(schedule_.can_take());
  EXPECT_FALSE(schedule_.take(single_));
  schedule_.resume();
  EXPECT_TRUE(schedule_.can_take());
  EXPECT_TRUE(schedule_.take(single_));
}

TEST_F(read_schedule_test, the_same_bytes_are_read_once) {
  read_request twins[2] = {wanting(0), wanting(0)};
  submit(twins);
  ASSERT_TRUE(schedule_.take(single_));
  read_operation other;
  EXPECT_FALSE(schedule_.take(other));
  EXPECT_TRUE(twins[1].shared);
  EXPECT_EQ(single_.close_followers(), &twins[1]);
  EXPECT_EQ(schedule_.stats().shared, 1u);
}

TEST_F(read_schedule_test, an_operation_is_retired_once_with_all_that_has_ended) {
  submit(requests_);
  ASSERT_TRUE(schedule_.take(single_));
  single_.tally.completed = 1;
  single_.tally.brought_to_zero = true;
  ended_reads ended;
  schedule_.retire(single_, ended);
  EXPECT_TRUE(ended.completed);
  EXPECT_TRUE(ended.brought_to_zero);
  EXPECT_FALSE(ended.freed_packed);
  EXPECT_EQ(ended.released_count, 0u);
  schedule_.retire(single_, ended);
  EXPECT_EQ(schedule_.counters().outstanding(), 4u);
  EXPECT_EQ(schedule_.stats().bytes_in_flight, 0u);
}

TEST_F(read_schedule_test, the_release_of_a_file_is_reported_if_asked_for) {
  submit(requests_);
  ASSERT_TRUE(schedule_.take(single_));
  EXPECT_TRUE(schedule_.is_reading(some_file));
  single_.tally.completed = 1;
  ended_reads ended;
  schedule_.retire(single_, ended);
  ASSERT_EQ(ended.released_count, 1u);
  EXPECT_EQ(ended.released[0], some_file);
  EXPECT_EQ(schedule_.counters().outstanding(), 5u) << "until it has been reported";
  EXPECT_FALSE(schedule_.is_reading(some_file));
}

TEST_F(read_schedule_test, a_turn_comes_back_with_the_end_of_its_read) {
  schedule_.files().add_permits(1);
  submit(requests_);
  ASSERT_TRUE(schedule_.take(single_));
  EXPECT_TRUE(single_.may_own_file);
  read_operation other;
  ASSERT_TRUE(schedule_.take(other));
  EXPECT_FALSE(other.may_own_file);
  ended_reads ended;
  schedule_.retire(single_, ended);
  EXPECT_EQ(schedule_.files().permits(), 1u);
}

class read_schedule_refused : public read_schedule_test {
 protected:
  read_schedule_refused() : read_schedule_test(memory_) {}
  static inline failing_allocator memory_{0, true};
};

TEST_F(read_schedule_refused, what_cannot_be_queued_is_handed_out_once) {
  EXPECT_FALSE(schedule_.add(requests_[0], 1));
  schedule_.refuse(requests_[0]);
  EXPECT_TRUE(schedule_.has_refused());
  EXPECT_EQ(schedule_.take_refused(), &requests_[0]);
  EXPECT_FALSE(schedule_.has_refused());
}

}  // namespace
}  // namespace overture::io_detail::read_schedule_test
