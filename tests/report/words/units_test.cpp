// SPDX-License-Identifier: Zlib
#include "report/words/units.hpp"

#include <gtest/gtest.h>

namespace overture::report_detail::units_test {
namespace {

TEST(units, group_digits) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(18'446'744'073'709'551'615u), "18,446,744,073,709,551,615");
}

TEST(units, give_sizes_three_digits) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1023.9), "1.00 KiB");
  EXPECT_EQ(human_bytes(1024), "1.00 KiB");
  EXPECT_EQ(human_bytes(12.34 * 1024 * 1024), "12.3 MiB");
  EXPECT_EQ(human_bytes(1023.6 * 1024), "1.00 MiB");
  EXPECT_EQ(human_bytes(412.0 * 1024 * 1024 * 1024), "412 GiB");
  EXPECT_EQ(human_rate(2048), "2.00 KiB/s");
}

TEST(units, choose_the_unit_of_times) {
  EXPECT_EQ(human_time(0), "0.00 ms");
  EXPECT_EQ(human_time(12'300'000), "12.3 ms");
  EXPECT_EQ(human_time(999'400'000), "999 ms");
  EXPECT_EQ(human_time(999'900'000), "1.00 s");
  EXPECT_EQ(human_time(59'900'000'000), "59.9 s");
  EXPECT_EQ(human_time(59'990'000'000), "1:00 min");
  EXPECT_EQ(human_time(125'000'000'000), "2:05 min");
}

TEST(units, distinguish_a_little_from_nothing_in_percent) {
  EXPECT_EQ(human_percent(0), "0 %");
  EXPECT_EQ(human_percent(0.001), "<1 %");
  EXPECT_EQ(human_percent(0.614), "61 %");
  EXPECT_EQ(human_percent(1), "100 %");
}

TEST(units, agree_counts_with_their_noun) {
  EXPECT_EQ(counted(1, "file", "files"), "1 file");
  EXPECT_EQ(counted(0, "file", "files"), "0 files");
  EXPECT_EQ(counted(1200, "file", "files"), "1,200 files");
}

}  // namespace
}  // namespace overture::report_detail::units_test
