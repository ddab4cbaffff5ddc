// SPDX-License-Identifier: Zlib
//
// What threads of a queue do for files besides reading.
#include "io/queue/file_errands.hpp"

#include <gtest/gtest.h>

#include "io/unpack/part_samples.hpp"
#include "support/failing_allocator.hpp"

namespace overture::io_detail::file_errands_test {
namespace {

using test::other_file;
using test::some_file;

TEST(file_errands, closing_and_opening_are_taken_apart) {
  file_errands all(default_allocator());
  file_errand taken;
  all.add_open(some_file);
  EXPECT_FALSE(all.take_close(taken));
  ASSERT_TRUE(all.add_close(other_file));
  ASSERT_TRUE(all.take_close(taken));
  EXPECT_TRUE(taken.closes);
  EXPECT_EQ(taken.source, other_file);
  EXPECT_FALSE(all.take_close(taken));
  ASSERT_TRUE(all.take_open(taken));
  EXPECT_FALSE(taken.closes);
  EXPECT_EQ(taken.source, some_file);
  EXPECT_TRUE(all.empty());
}

TEST(file_errands, a_file_is_opened_once_for_many_requests_in_a_row) {
  file_errands all(default_allocator());
  for (int i = 0; i < 10; ++i) all.add_open(some_file);
  file_errand taken;
  EXPECT_TRUE(all.take_open(taken));
  EXPECT_FALSE(all.take_open(taken));
}

TEST(file_errands, refused_memory_is_reported_for_closing_and_ignored_for_opening) {
  failing_allocator memory(0, true);
  file_errands all(memory);
  all.add_open(some_file);
  EXPECT_FALSE(all.add_close(some_file));
  EXPECT_TRUE(all.empty());
  file_errand taken;
  EXPECT_FALSE(all.take_close(taken));
}

}  // namespace
}  // namespace overture::io_detail::file_errands_test
