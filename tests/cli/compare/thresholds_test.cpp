// SPDX-License-Identifier: Zlib
#include "compare/thresholds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace overture::cli::thresholds_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct word_case {
  const char* word;
  double most;
};

class right_word : public testing::TestWithParam<word_case> {};

TEST_P(right_word, is_a_limit) {
  std::string mistake;
  const std::optional<threshold> read = parse_threshold(GetParam().word, mistake);
  ASSERT_TRUE(read) << mistake;
  EXPECT_DOUBLE_EQ(read->most, GetParam().most);
}

INSTANTIATE_TEST_SUITE_P(All, right_word,
                         testing::Values(word_case{"total=2s", 2}, word_case{"mount=300ms", 0.3},
                                         word_case{"decode=1.5e3us", 0.0015},
                                         word_case{"waiting=10%", 0.1},
                                         word_case{"peak=300MiB", 300.0 * 1048576},
                                         word_case{"disk=1GB", 1e9}, word_case{"read=0s", 0}));

struct wrong_case {
  const char* word;
  const char* says;
};

class wrong_word : public testing::TestWithParam<wrong_case> {};

TEST_P(wrong_word, is_answered_with_what_to_give) {
  std::string mistake;
  EXPECT_FALSE(parse_threshold(GetParam().word, mistake));
  EXPECT_THAT(mistake, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    All, wrong_word,
    testing::Values(wrong_case{"", "the names are total, mount"}, wrong_case{"total", "total=2s"},
                    wrong_case{"moon=2s", "the names are"}, wrong_case{"total=", "2s or 300ms"},
                    wrong_case{"total=2", "2s or 300ms"}, wrong_case{"total=-1s", "2s or 300ms"},
                    wrong_case{"total=10%", "2s or 300ms"}, wrong_case{"total=nans", "2s or 300ms"},
                    wrong_case{"total=infs", "2s or 300ms"}, wrong_case{"waiting=3s", "10%"},
                    wrong_case{"peak=3", "300MiB"}, wrong_case{"peak=3 MiB", "300MiB"}));

threshold limit(const char* word) {
  std::string mistake;
  return parse_threshold(word, mistake).value();
}

const load_samples samples{
    .loads = 3,
    .measures = {{measure_kind::load, "load", {1, 3, 2}},
                 {measure_kind::load, "waiting", {1, 1, 3}},
                 {measure_kind::load, "threads", {10, 4, 10}},
                 {measure_kind::bytes, "peak memory", {1048576, 1048576, 2097152}}}};

TEST(thresholds, are_for_the_median) {
  EXPECT_THAT(exceeded({limit("total=2s"), limit("waiting=25%"), limit("peak=1MiB")}, samples),
              IsEmpty());
  EXPECT_THAT(exceeded({limit("total=1.9s")}, samples),
              ElementsAre("total is 2.00 s, above the limit of 1.90 s"));
  EXPECT_THAT(exceeded({limit("waiting=24%")}, samples),
              ElementsAre("waiting is 25 %, above the limit of 24 %"));
  EXPECT_THAT(exceeded({limit("peak=1000KiB")}, samples),
              ElementsAre("peak is 1.00 MiB, above the limit of 1000 KiB"));
}

TEST(thresholds, of_what_was_not_measured_are_not_kept) {
  EXPECT_THAT(exceeded({limit("decode=9s")}, samples),
              ElementsAre(HasSubstr("decode was not measured")));
}

}  // namespace
}  // namespace overture::cli::thresholds_test
