// SPDX-License-Identifier: Zlib
#include "base/threads/processor_quota.hpp"

#include <gtest/gtest.h>

namespace overture::base_detail::processor_quota_test {
namespace {

TEST(processor_quota, of_version_2_is_rounded_up_to_whole_processors) {
  const struct {
    const char* text;
    unsigned processors;
  } cases[] = {{"200000 100000\n", 2}, {"150000 100000\n", 2},
               {"50000 100000\n", 1},  {"1000 100000\n", 1},
               {"max 100000\n", 0},    {"", 0},
               {"200000", 0},          {"200000 0", 0},
               {"nonsense", 0},        {"99999999999999999999999 1", 0}};
  for (const auto& each : cases) {
    EXPECT_EQ(processors_of_cpu_max(each.text), each.processors) << each.text;
  }
}

TEST(processor_quota, of_version_1_is_rounded_up_to_whole_processors) {
  const struct {
    const char* quota;
    const char* period;
    unsigned processors;
  } cases[] = {{"400000\n", "100000\n", 4},
               {"250000\n", "100000\n", 3},
               {"-1\n", "100000\n", 0},
               {"", "", 0},
               {"1\n", "0\n", 0}};
  for (const auto& each : cases) {
    EXPECT_EQ(processors_of_cfs(each.quota, each.period), each.processors) << each.quota;
  }
}

TEST(processor_quota, is_that_of_the_group_of_the_controller) {
  const char* const groups =
      "12:memory:/m\n4:cpuacct,cpu:/docker/a:b\n1:name=systemd:/s\n0::/user.slice\n";
  EXPECT_EQ(group_of(groups, "cpu"), "/docker/a:b");
  EXPECT_EQ(group_of(groups, ""), "/user.slice");
  EXPECT_EQ(group_of("0::/\n", "cpu"), "");
  EXPECT_EQ(group_of("4:cpuset:/x\n", "cpu"), "");
  EXPECT_EQ(group_of("broken\n:\n", ""), "");
  EXPECT_EQ(group_of("", ""), "");
}

}  // namespace
}  // namespace overture::base_detail::processor_quota_test
