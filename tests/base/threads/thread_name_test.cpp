// SPDX-License-Identifier: Zlib
#include "base/threads/thread_name.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace overture {
using namespace base_detail;

namespace {

TEST(numbered_thread_names, end_with_the_number_however_long_the_name_is) {
  thread_name text;
  write_thread_name(text, "worker", 12);
  EXPECT_STREQ(text, "worker 12");
  write_thread_name(text, "loader of the world", 1);
  EXPECT_STREQ(text, "loader of the 1");
  write_thread_name(text, "loader of the world", 256);
  EXPECT_STREQ(text, "loader of t 256");
  write_thread_name(text, "loader", std::numeric_limits<unsigned>::max());
  EXPECT_STREQ(text, "load 4294967295");
  write_thread_name(text, "", 3);
  EXPECT_STREQ(text, " 3");
}

}  // namespace
}  // namespace overture
