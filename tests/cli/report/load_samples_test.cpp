// SPDX-License-Identifier: Zlib
#include "report/load_samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/sample_report.hpp"
#include "report/repeats.hpp"
#include "report/report_json.hpp"
#include "report/samples_file.hpp"

namespace overture::cli::load_samples_test {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

TEST(spread, has_the_smaller_of_the_middle_times_as_median) {
  const spread odd = spread_of({30e-9, 10e-9, 20e-9});
  EXPECT_THAT((std::array{odd.median_ns, odd.least_ns, odd.most_ns}), ElementsAre(20, 10, 30));
  const spread even = spread_of({40e-9, 10e-9, 20e-9, 30e-9});
  EXPECT_EQ(even.median_ns, 20u);
  EXPECT_EQ(spread_of({}).most_ns, 0u);
}

report load_of(std::uint64_t seconds) {
  report load = sample_report();
  load.summary.ns = seconds * 1'000'000'000;
  return load;
}

load_samples samples_of(std::initializer_list<std::uint64_t> seconds) {
  sample_collector collector;
  for (const std::uint64_t each : seconds) collector.add(load_of(each));
  return collector.finish();
}

TEST(median, is_a_load_that_ran) {
  EXPECT_EQ(median_of({load_of(3), load_of(1), load_of(2)}), 2u);
  EXPECT_EQ(median_of({load_of(3), load_of(1)}), 1u);
}

TEST(samples, have_a_value_for_each_load) {
  const load_samples samples = samples_of({3, 1, 2});
  EXPECT_EQ(samples.loads, 3u);
  EXPECT_THAT(samples.find(measure_kind::load, "load")->values, ElementsAre(3, 1, 2));
  EXPECT_THAT(samples.find(measure_kind::stage, "decode")->values, ElementsAre(1.5, 1.5, 1.5));
  EXPECT_THAT(samples.find(measure_kind::wait, idle_reasons::read)->values, SizeIs(3));
  EXPECT_THAT(samples.find(measure_kind::type, "png")->values, ElementsAre(1.9, 1.9, 1.9));
  const double processor = (1115 + 1115 + 45) / 1000.0;
  EXPECT_DOUBLE_EQ(samples.find(measure_kind::load, "processor")->values[0], processor);
  EXPECT_EQ(samples.find(measure_kind::stage, "load"), nullptr);
  EXPECT_EQ(samples.find(measure_kind::cpu, "decode"), nullptr) << "not measured";
}

TEST(samples, have_the_cpu_time_of_all_threads_by_stage) {
  report load = load_of(1);
  load.threads_used[0].stage_cpu_ns[3] = 600 * ms;
  load.threads_used[1].stage_cpu_ns[3] = 500 * ms;
  sample_collector collector;
  collector.add(load);
  EXPECT_THAT(collector.finish().find(measure_kind::cpu, "decode")->values, ElementsAre(1.1));
}

TEST(samples, count_what_occurs_in_some_loads_as_nothing_in_the_others) {
  sample_collector collector;
  collector.add(load_of(1));
  report other = load_of(1);
  other.types.push_back({"new", 1, 0, 1, 1, 5 * ms});
  other.verdict.shares.erase(other.verdict.shares.begin() + 2);
  collector.add(other);
  collector.add(load_of(1));
  const load_samples samples = collector.finish();
  EXPECT_THAT(samples.find(measure_kind::type, "new")->values, ElementsAre(0, 0.005, 0));
  EXPECT_THAT(samples.find(measure_kind::wait, idle_reasons::read)->values,
              ElementsAre(0.22, 0, 0.22));
}

TEST(samples, keep_the_fifty_slowest_files) {
  sample_collector collector;
  report load = load_of(1);
  for (std::uint64_t i = 0; i < 60; ++i) {
    report_row row;
    row.path = "f" + std::to_string(i);
    row.mount = 1;
    row.stage_ns[3] = i * ms;
    row.device_ns = ms;
    load.files.push_back(row);
  }
  collector.add(load);
  const load_samples samples = collector.finish();
  EXPECT_EQ(std::ranges::count(samples.measures, measure_kind::file, &measure::kind), 50);
  EXPECT_EQ(samples.find(measure_kind::file, "f9"), nullptr);
  EXPECT_THAT(samples.find(measure_kind::file, "f59")->values, ElementsAre(0.06));
  // Without the time at the device, in which no thread works.
  EXPECT_DOUBLE_EQ(samples.find(measure_kind::mount, "game/dlc/rome")->values[0], 1.77);
}

TEST(samples, survive_the_json_of_a_load) {
  report shown = load_of(2);
  shown.repeats = samples_of({1, 2, 3});
  const std::optional<load_samples> read = parse_samples(report_json(shown));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->loads, 3u);
  EXPECT_EQ(read->hash, "0123456789abcdef");
  EXPECT_EQ(read->threads, 2u);
  ASSERT_EQ(read->measures.size(), shown.repeats.measures.size());
  for (std::size_t i = 0; i < read->measures.size(); ++i) {
    EXPECT_EQ(read->measures[i].name, shown.repeats.measures[i].name);
    EXPECT_EQ(read->measures[i].values, shown.repeats.measures[i].values);
  }
}

TEST(samples, are_in_no_other_text) {
  for (
      const char* text :
      {"", "null", "{}", R"({"hash":"1","threads":2})", R"({"hash":1,"threads":2,"repeats":{}})",
       R"({"hash":"1","threads":2,"repeats":{"seconds":{"load":3}}})",
       R"({"hash":"1","threads":2,"repeats":{"seconds":{"load":{"median":-1,"least":1}}}})",
       R"({"hash":"1","threads":2,"repeats":{"seconds":{"read":{"median":1,"least":1,"most":1}}}})",
       R"({"hash":"1","threads":2,"repeats":{"seconds":[{}]}})",
       R"({"hash":"1","threads":2,"repeats":{"loads":1,"measures":{}}})",
       R"({"hash":"1","threads":2,"repeats":{"loads":1,"measures":[]}})",
       R"({"hash":"1","threads":2,"repeats":{"loads":99999999,"measures":[]}})",
       R"({"hash":"1","threads":2,"repeats":{"loads":2,"measures":[{"kind":"load","name":"load",)"
       R"("values":[1]}]}})",
       R"({"hash":"1","threads":2,"repeats":{"loads":1,"measures":[{"kind":"moon","name":"load",)"
       R"("values":[1]}]}})",
       R"({"hash":"1","threads":2,"repeats":{"loads":1,"measures":[{"kind":"load","name":"load",)"
       R"("values":["1"]}]}})"}) {
    EXPECT_FALSE(parse_samples(text)) << text;
  }
}

TEST(times, are_of_the_load_of_mounting_and_of_the_stages) {
  const std::vector<report_time> times = times_of(samples_of({3, 1, 2}));
  ASSERT_EQ(times.size(), 2 + load_stage_count);
  EXPECT_EQ(times[0].name, "load");
  EXPECT_EQ(times[0].taken.most_ns, 3'000'000'000u);
  EXPECT_EQ(times[1].name, "mount");
  EXPECT_EQ(times[5].name, "decode");
  EXPECT_EQ(times[5].taken.median_ns, 1'500'000'000u);
}

}  // namespace
}  // namespace overture::cli::load_samples_test
