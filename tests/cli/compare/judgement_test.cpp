// SPDX-License-Identifier: Zlib
#include "compare/judgement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace overture::cli::judgement_test {
namespace {

using values = std::vector<double>;

struct judged_case {
  const char* what;
  values was;
  values now;
  pairing how;
  change verdict;
};

class judging : public testing::TestWithParam<judged_case> {};

TEST_P(judging, says_what_the_values_show) {
  const judged_case& each = GetParam();
  EXPECT_EQ(judge(each.was, each.now, each.how, 0.1).verdict, each.verdict) << each.what;
}

constexpr auto apart = pairing::apart;
constexpr auto in_turns = pairing::in_turns;

INSTANTIATE_TEST_SUITE_P(
    All, judging,
    testing::Values(
        judged_case{"nothing measured", {}, {}, apart, change::unclear},
        judged_case{"the same", {100}, {100}, apart, change::same},
        judged_case{"once", {100}, {150}, apart, change::unclear},
        judged_case{"twice", {100, 101}, {150, 151}, in_turns, change::unclear},
        judged_case{"three times", {100, 101, 102}, {150, 151, 152}, apart, change::more},
        judged_case{"few, apart", {95, 100, 105}, {110, 130, 190}, apart, change::more},
        judged_case{"few, overlapping", {95, 100, 135}, {110, 130, 190}, apart, change::unclear},
        judged_case{"many, one stray",
                    {100, 101, 99, 100, 102, 98, 100, 101, 99, 180},
                    {120, 121, 119, 120, 122, 118, 120, 121, 119, 99},
                    apart,
                    change::more},
        judged_case{"many, wide",
                    {100, 140, 90, 130, 100, 150, 80, 120, 110, 100},
                    {120, 110, 150, 90, 170, 80, 130, 100, 140, 125},
                    apart,
                    change::unclear},
        judged_case{"many, close together",
                    {100, 101, 99, 100, 102, 98, 100, 101},
                    {101, 102, 100, 101, 103, 99, 101, 102},
                    apart,
                    change::same},
        judged_case{"a machine that slows down, apart",
                    {100, 110, 120, 130, 140, 150, 160, 170},
                    {120, 132, 144, 156, 168, 180, 192, 204},
                    apart,
                    change::unclear},
        judged_case{"a machine that slows down, in turns",
                    {100, 110, 120, 130, 140, 150, 160, 170},
                    {120, 132, 144, 156, 168, 180, 192, 204},
                    in_turns,
                    change::more},
        judged_case{"new", {0, 0, 0}, {1, 1, 1}, apart, change::more},
        judged_case{"new now and then", {0, 0, 0}, {1, 0, 1}, apart, change::unclear},
        judged_case{"gone", {1, 1, 1}, {0, 0, 0}, apart, change::less},
        judged_case{"never", {0, 0, 0}, {0, 0, 0}, apart, change::same}));

TEST(judgement, has_the_ratio_and_its_interval) {
  const judgement found = judge(values{90, 100, 110, 100, 95, 105, 100, 100},
                                values{120, 118, 122, 120, 119, 121, 120, 120}, apart, 0.05);
  EXPECT_DOUBLE_EQ(found.was, 100);
  EXPECT_DOUBLE_EQ(found.now, 120);
  EXPECT_DOUBLE_EQ(found.ratio, 1.2);
  EXPECT_GT(found.least, 1.05);
  EXPECT_LE(found.least, 1.2);
  EXPECT_GE(found.most, 1.2);
  EXPECT_LT(found.most, 1.4);
  EXPECT_EQ(found.repeats_wanted, 0u);
}

TEST(judgement, is_the_same_for_the_same_values) {
  const values was{90, 100, 110, 100, 95, 105, 100, 100};
  const values now{120, 90, 122, 130, 119, 101, 120, 110};
  EXPECT_EQ(judge(was, now, apart, 0.05).least, judge(was, now, apart, 0.05).least);
}

TEST(judgement, says_how_many_more_would_tell) {
  const values was{100, 140, 90, 130, 100, 150, 80, 120, 110, 100};
  const values now{120, 110, 150, 90, 170, 80, 130, 100, 140, 125};
  const judgement wide = judge(was, now, apart, 0.05);
  EXPECT_GT(wide.repeats_wanted, was.size());
  EXPECT_LT(judge(was, now, apart, 0.3).repeats_wanted, wide.repeats_wanted);
  EXPECT_LE(judge(was, now, apart, 0).repeats_wanted, repeats_wanted_max);
}

// Times of a busy machine: most near the least, some far above it.
class noise {
 public:
  explicit noise(unsigned seed) : random_(seed) {}
  double time(double least) {
    const double stray = one_(random_) < 0.15 ? 0.5 * one_(random_) : 0;
    return least * (1 + 0.04 * std::abs(normal_(random_)) + stray) * drift_;
  }
  // The machine slows down or speeds up between the turns.
  void pass() { drift_ *= 1 + 0.01 * normal_(random_); }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> one_;
  double drift_ = 1;
};

judgement in_turns_with(double slower, unsigned seed) {
  noise machine(seed);
  values was;
  values now;
  for (int i = 0; i < 10; ++i) {
    was.push_back(machine.time(1));
    now.push_back(machine.time(slower));
    machine.pass();
  }
  return judge(was, now, pairing::in_turns, 0.05);
}

TEST(judgement, of_equal_loads_is_hardly_ever_a_difference) {
  int different = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    const change verdict = in_turns_with(1, seed).verdict;
    different += verdict == change::more || verdict == change::less ? 1 : 0;
  }
  EXPECT_LE(different, 20) << "of 500";
}

TEST(judgement, finds_a_fifth) {
  int found = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    found += in_turns_with(1.2, seed).verdict == change::more ? 1 : 0;
  }
  EXPECT_GE(found, 150) << "of 200";
}

}  // namespace
}  // namespace overture::cli::judgement_test
