#include "units.hpp"

#include <gtest/gtest.h>

namespace overture::cli {
namespace {

TEST(units, groups_digits) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(18'446'744'073'709'551'615u), "18,446,744,073,709,551,615");
}

TEST(units, bytes_have_three_digits) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1023.9), "1.00 KiB");
  EXPECT_EQ(human_bytes(1024), "1.00 KiB");
  EXPECT_EQ(human_bytes(12.34 * 1024 * 1024), "12.3 MiB");
  EXPECT_EQ(human_bytes(1023.6 * 1024), "1.00 MiB");
  EXPECT_EQ(human_bytes(412.0 * 1024 * 1024 * 1024), "412 GiB");
  EXPECT_EQ(human_rate(2048), "2.00 KiB/s");
}

TEST(units, times_choose_their_unit) {
  EXPECT_EQ(human_time(0), "0.00 ms");
  EXPECT_EQ(human_time(12'300'000), "12.3 ms");
  EXPECT_EQ(human_time(999'400'000), "999 ms");
  EXPECT_EQ(human_time(999'900'000), "1.00 s");
  EXPECT_EQ(human_time(59'900'000'000), "59.9 s");
  EXPECT_EQ(human_time(59'990'000'000), "1:00 min");
  EXPECT_EQ(human_time(125'000'000'000), "2:05 min");
}

TEST(units, percent_tells_little_from_nothing) {
  EXPECT_EQ(human_percent(0), "0 %");
  EXPECT_EQ(human_percent(0.001), "<1 %");
  EXPECT_EQ(human_percent(0.614), "61 %");
  EXPECT_EQ(human_percent(1), "100 %");
}

TEST(units, counts_agree_with_their_noun) {
  EXPECT_EQ(counted(1, "file", "files"), "1 file");
  EXPECT_EQ(counted(0, "file", "files"), "0 files");
  EXPECT_EQ(counted(1200, "file", "files"), "1,200 files");
}

}  // namespace
}  // namespace overture::cli
