// SPDX-License-Identifier: Zlib
#include "report/baseline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/sample_report.hpp"
#include "report/repeats.hpp"
#include "report/report_json.hpp"

namespace overture::cli::baseline_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct slower_case {
  const char* what;
  spread was;
  spread now;
  bool slower;
};

class slower : public testing::TestWithParam<slower_case> {};

TEST_P(slower, than_the_baseline_beyond_tolerance_and_noise) {
  EXPECT_EQ(is_slower(GetParam().was, GetParam().now, 10), GetParam().slower) << GetParam().what;
}

INSTANTIATE_TEST_SUITE_P(
    All, slower,
    testing::Values(slower_case{"the same", {100, 100, 100}, {100, 100, 100}, false},
                    slower_case{"faster", {100, 90, 110}, {50, 45, 55}, false},
                    slower_case{"within the tolerance", {100, 100, 100}, {110, 110, 110}, false},
                    slower_case{"beyond it", {100, 100, 100}, {111, 111, 111}, true},
                    slower_case{"beyond it, with noise", {100, 95, 105}, {130, 110, 190}, true},
                    slower_case{"only noise", {100, 95, 135}, {130, 110, 190}, false}));

TEST(spread, has_the_smaller_of_the_middle_times_as_median) {
  const spread odd = spread_of({30, 10, 20});
  EXPECT_THAT((std::array{odd.median_ns, odd.least_ns, odd.most_ns}), ElementsAre(20, 10, 30));
  const spread even = spread_of({40, 10, 20, 30});
  EXPECT_EQ(even.median_ns, 20u);
  EXPECT_EQ(spread_of({}).most_ns, 0u);
}

std::vector<report> loads_of(std::initializer_list<std::uint64_t> seconds) {
  std::vector<report> loads;
  for (const std::uint64_t each : seconds) {
    loads.push_back(sample_report());
    loads.back().summary.ns = each * 1'000'000'000;
  }
  return loads;
}

TEST(repeats, are_summed_up_by_load_mount_and_stage) {
  const std::vector<report> loads = loads_of({3, 1, 2});
  EXPECT_EQ(median_of(loads), 2u);
  const std::vector<report_time> times = times_of(loads);
  ASSERT_EQ(times.size(), 2 + load_stage_count);
  EXPECT_EQ(times[0].name, "load");
  EXPECT_EQ(times[0].taken.most_ns, 3'000'000'000u);
  EXPECT_EQ(times[1].name, "mount");
  EXPECT_EQ(times[5].name, "decode");
  EXPECT_EQ(times[5].taken.median_ns, 1'500'000'000u);
}

TEST(baseline, is_what_the_json_of_a_load_says) {
  report old = sample_report();
  old.repeats = times_of(loads_of({1, 2, 3}));
  const std::optional<baseline> read = parse_baseline(report_json(old));
  ASSERT_TRUE(read);

  report now = sample_report();
  now.repeats = times_of(loads_of({4}));
  const report_baseline compared = compare(*read, now, 10);
  EXPECT_TRUE(compared.slower);
  EXPECT_THAT(compared.differences, IsEmpty());
  ASSERT_EQ(compared.times.size(), 2 + load_stage_count);
  EXPECT_EQ(compared.times[0].was.median_ns, 2'000'000'000u);
  EXPECT_EQ(compared.times[0].now.median_ns, 4'000'000'000u);
  EXPECT_TRUE(compared.times[0].slower);
  EXPECT_FALSE(compared.times[5].slower) << "the decode stage took as long as before";
  EXPECT_FALSE(compare(*read, old, 10).slower);

  now.threads = 7;
  ++now.summary.hash;
  EXPECT_THAT(compare(*read, now, 10).differences,
              ElementsAre("the files differ", "it had 2 threads"));
}

TEST(baseline, is_nothing_else) {
  for (const char* text :
       {"", "null", "{}", R"({"hash":"1","threads":2})", R"({"hash":1,"threads":2,"repeats":{}})",
        R"({"hash":"1","threads":2,"repeats":{"seconds":{"load":3}}})",
        R"({"hash":"1","threads":2,"repeats":{"seconds":{"load":{"median":-1,"least":1}}}})",
        R"({"hash":"1","threads":2,"repeats":{"seconds":[{}]}})"}) {
    EXPECT_FALSE(parse_baseline(text)) << text;
  }
}

}  // namespace
}  // namespace overture::cli::baseline_test
