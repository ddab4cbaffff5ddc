// SPDX-License-Identifier: Zlib
//
// How requests end.
#include "io/queue/request_completion.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "io/unpack/part_samples.hpp"
#include "overture/sync/countdown.hpp"
#include "support/failing_allocator.hpp"
#include "support/manual_executor.hpp"

namespace overture::io_detail::request_completion_test {
namespace {

using test::wanting;

class request_completion_test : public testing::Test {
 protected:
  request_completion_test() {
    request_.done = {
        [](void* self) { ++static_cast<request_completion_test*>(self)->completions_; }, this};
  }

  buffer_pool pool_;
  request_completion completion_{pool_, false};
  read_request request_ = wanting(5);
  read_request second_ = wanting(50);
  read_tally sum_;
  int completions_ = 0;
};

TEST_F(request_completion_test, a_completion_goes_to_its_executor) {
  test::manual_executor on;
  request_.on = &on;
  completion_.end(sum_, request_, 9);
  EXPECT_EQ(completions_, 0);
  EXPECT_EQ(on.run(), 1u);
  EXPECT_EQ(completions_, 1);
  EXPECT_EQ(request_.finished_ns, 9u);
}

TEST_F(request_completion_test, an_executor_gets_nothing_where_there_is_no_completion) {
  test::manual_executor on;
  request_.on = &on;
  request_.done = {};
  countdown left(1);
  request_.counter = &left;
  completion_.end(sum_, request_, 9);
  EXPECT_EQ(on.run(), 0u);
  EXPECT_TRUE(left.is_done());
}

TEST_F(request_completion_test, one_without_an_executor_runs_only_where_the_host_polls) {
  completion_.end(sum_, request_, 9);
  EXPECT_EQ(completions_, 0);
  request_completion(pool_, true).end(sum_, request_, 9);
  EXPECT_EQ(completions_, 1);
}

TEST_F(request_completion_test, a_countdown_that_reaches_zero_is_reported) {
  countdown left(2);
  request_.counter = &left;
  completion_.end(sum_, request_, 9);
  EXPECT_FALSE(sum_.brought_to_zero);
  completion_.end(sum_, request_, 9);
  EXPECT_TRUE(sum_.brought_to_zero);
}

TEST_F(request_completion_test, counts_are_held_for_reads_that_go_on) {
  countdown left(1);
  request_.counter = &left;
  held_counts held;
  completion_.end(sum_, request_, 9, &held);
  EXPECT_FALSE(left.is_done());
  EXPECT_TRUE(held.flush());
  EXPECT_TRUE(left.is_done());
}

TEST_F(request_completion_test, a_list_is_cancelled_or_refused_as_a_whole) {
  request_.next = &second_;
  EXPECT_EQ(completion_.cancel(&request_, 9).completed, 2u);
  EXPECT_EQ(second_.outcome.error().code, errc::cancelled);
  second_.outcome = fail(errc::out_of_memory, "out of memory for queueing a read");
  const read_tally sum = completion_.refuse(&second_, 9);
  EXPECT_EQ(sum.failed, 1u);
  EXPECT_EQ(second_.outcome.error().source, second_.source);
  EXPECT_EQ(second_.outcome.error().offset, 0u) << "the size asked for, which is not known";
}

TEST_F(request_completion_test, a_follower_gets_the_bytes_or_the_error_of_its_twin) {
  ASSERT_TRUE(completion_.take_destination(second_));
  second_.destination[0] = std::byte{7};
  second_.content = second_.destination;
  completion_.copy(request_, second_);
  ASSERT_TRUE(request_.outcome);
  EXPECT_EQ(request_.content[0], std::byte{7});
  EXPECT_NE(request_.content.data(), second_.content.data());
  second_.outcome = fail(errc::truncated, "the file ends before the requested bytes");
  completion_.copy(request_, second_);
  EXPECT_EQ(request_.outcome.error().code, errc::truncated);
  EXPECT_EQ(request_.outcome.error().source, request_.source);
}

TEST_F(request_completion_test, no_buffer_is_taken_for_memory_of_the_caller) {
  request_.into = read_into::destination;
  ASSERT_TRUE(completion_.take_destination(request_));
  EXPECT_TRUE(request_.buffer.span().empty());
  failing_allocator memory(0, true);
  buffer_pool none({.memory = &memory});
  request_.into = read_into::pool;
  EXPECT_FALSE(request_completion(none, false).take_destination(request_));
}

}  // namespace
}  // namespace overture::io_detail::request_completion_test
