// SPDX-License-Identifier: Zlib
#include "watching/watch_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "made_up.hpp"
#include "report/samples_file.hpp"
#include "watching/watch_report.hpp"

namespace overture::cli::watch_runs_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using watch::event_kind;
using watch::made_up;
using watch::operator""_ms;

// Its menu comes after so many milliseconds, half of them decoding.
made_up program(std::uint64_t ms) {
  made_up process;
  const std::uint32_t file = process.name("/home/me/data/a.png");
  process.main().open(file, 1_ms, 1_ms);
  process.main().read(file, 2_ms, 3_ms, 0, 4096);
  process.main().zone(watch::zone_number::png_read_image, 10_ms, ms * 1_ms / 2);
  process.main().wait(event_kind::wait_mutex, ms * 1_ms - 20_ms, 10_ms, 0xA);
  process.main().frame(ms * 1_ms);
  process->threads.front().kernel = watch::kernel_truth{.read_bytes = 8192};
  return process;
}
constexpr std::uint64_t end_ns = 9000_ms;

std::vector<watch::watched_process> processes_of(std::uint64_t ms) {
  return {program(ms).done(end_ns)};
}

const std::vector<double>& values(const load_samples& of, measure_kind kind, const char* name) {
  static const std::vector<double> none;
  const measure* const found = of.find(kind, name);
  return found ? found->values : none;
}

struct median_row {
  std::size_t before, seen, all;
  bool can_be;
};
constexpr median_row median_rows[] = {
    {0, 1, 1, true}, {0, 1, 3, true},  {0, 2, 3, true},  {1, 2, 3, true},  {0, 3, 3, false},
    {1, 3, 3, true}, {2, 3, 3, false}, {0, 2, 2, true},  {1, 2, 2, false}, {0, 4, 5, false},
    {1, 4, 5, true}, {2, 4, 5, true},  {3, 4, 5, false}, {1, 4, 4, true},  {2, 4, 4, false},
};

TEST(watch_runs, know_which_can_be_the_median_one) {
  for (const median_row& each : median_rows) {
    EXPECT_EQ(can_be_median(each.before, each.seen, each.all), each.can_be)
        << each.before << " of " << each.seen << " of " << each.all;
  }
}

TEST(watch_runs, show_the_median_one) {
  watch_runs runs({.runs = 5});
  for (const std::uint64_t ms : {500u, 900u, 300u, 700u, 800u}) {
    EXPECT_EQ(runs.add(processes_of(ms)).ns, ms * 1_ms);
  }
  const watch_runs::shown_run shown = std::move(runs).finish();
  EXPECT_EQ(shown.repeats.shown, 3u);
  EXPECT_EQ(watch::view_of(shown.processes[0]).end_ns(), 700_ms);
  const spread times = shown.repeats.times();
  EXPECT_EQ(times.median_ns, 700_ms);
  EXPECT_EQ(times.least_ns, 300_ms);
  EXPECT_EQ(times.most_ns, 900_ms);
  EXPECT_EQ(repeats_sentence(shown.repeats),
            "The median of 5 runs: 700 ms, 300 ms at least, 900 ms at most.");
}

TEST(watch_runs, that_end_early_show_the_median_of_those_there_were) {
  for (std::size_t count = 1; count <= 6; ++count) {
    watch_runs runs({.runs = 7});
    const std::uint64_t all[] = {600, 200, 400, 300, 500, 100};
    std::vector<std::uint64_t> sorted(all, all + count);
    for (const std::uint64_t ms : sorted) runs.add(processes_of(ms));
    std::sort(sorted.begin(), sorted.end());
    const watch_runs::shown_run shown = std::move(runs).finish();
    EXPECT_EQ(watch::view_of(shown.processes[0]).end_ns(), sorted[(count - 1) / 2] * 1_ms);
  }
}

TEST(watch_runs, have_a_value_of_each_run) {
  watch_runs runs({.runs = 2, .is_cold = true, .home = "/home/me"});
  runs.add(processes_of(200));
  runs.add(processes_of(400));
  const load_samples samples = std::move(runs).finish().repeats.samples;
  EXPECT_EQ(samples.loads, 2u);
  EXPECT_EQ(samples.program, "/game/bin/game");
  EXPECT_TRUE(samples.is_cold);
  EXPECT_THAT(values(samples, measure_kind::load, "load"), ElementsAre(0.2, 0.4));
  EXPECT_THAT(values(samples, measure_kind::load, "first frame"), ElementsAre(0.2, 0.4));
  EXPECT_THAT(values(samples, measure_kind::stage, "decoding and unpacking"),
              ElementsAre(0.1, 0.2));
  EXPECT_THAT(values(samples, measure_kind::wait, "a lock"), ElementsAre(0.01, 0.01));
  EXPECT_THAT(values(samples, measure_kind::finding, "decodes-on-main"), ElementsAre(0.1, 0.2));
  EXPECT_THAT(values(samples, measure_kind::file, "~/data/a.png"), ElementsAre(0.004, 0.004));
  EXPECT_THAT(values(samples, measure_kind::bytes, "read"), ElementsAre(4096, 4096));
  EXPECT_THAT(values(samples, measure_kind::bytes, "from disk"), ElementsAre(8192, 8192));
}

TEST(watch_runs, end_with_the_first_frame_where_that_is_asked_for) {
  made_up process = program(300);
  process.main().frame(50_ms);
  const watch::load_view view = watch::view_of(process.done(end_ns));
  EXPECT_EQ(mark_of(view, watch_until::what::frame).ns, 50_ms);
  EXPECT_STREQ(mark_of(view, watch_until::what::frame).name, "frame");
  EXPECT_STREQ(mark_of(view, watch_until::what::menu).name, "menu");
}

TEST(watch_runs, know_what_was_read) {
  made_up process;
  process->modules.push_back({0x20000, 0x30000, "/usr/lib/libgame.so"});
  process.main().open(process.name("/data/a"), 1_ms, 1_ms);
  process.main().open(process.name("/dev/dri/card0"), 2_ms, 1_ms);
  process.main().miss(process.name("/data/none"), 3_ms, 1_ms);
  process.main().add(event_kind::open, 4_ms, 1_ms, process.name("/data/new"), O_WRONLY | O_CREAT);
  const read_files files = files_read({process.done(100_ms)});
  EXPECT_THAT(files.content, ElementsAre("/data/a"));
  EXPECT_THAT(files.code, ElementsAre("/game/bin/game", "/usr/lib/libgame.so"));
}

TEST(watch_runs, survive_their_json) {
  watch_runs runs({.runs = 2, .is_cold = true});
  runs.add(processes_of(200));
  runs.add(processes_of(400));
  const watch_runs::shown_run shown = std::move(runs).finish();
  const watch::load_view view = watch::view_of(shown.processes[0]);
  const std::optional<load_samples> read =
      parse_samples(watch_json({.view = view, .repeats = shown.repeats}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->program, "/game/bin/game");
  EXPECT_TRUE(read->is_cold);
  EXPECT_EQ(read->loads, 2u);
  ASSERT_EQ(read->measures.size(), shown.repeats.samples.measures.size());
  for (std::size_t i = 0; i < read->measures.size(); ++i) {
    EXPECT_EQ(read->measures[i].values, shown.repeats.samples.measures[i].values);
  }
  EXPECT_FALSE(parse_samples(R"({"overture_watch":1,"program":"a"})"));
  EXPECT_FALSE(parse_samples(R"({"overture_watch":1,"program":"a","repeats":{"loads":1}})"));
}

TEST(watch_report, has_the_time_of_each_run) {
  watch_runs runs({.runs = 2});
  runs.add(processes_of(200));
  runs.add(processes_of(400));
  watch_runs::shown_run shown = std::move(runs).finish();
  const watch::load_view view = watch::view_of(shown.processes[0]);
  const watch_report what{
      .view = view, .repeats = shown.repeats, .machine = {.processors = 8, .date = "today"}};
  EXPECT_THAT(watch_text(what, {}), HasSubstr("Each: 200 ms (menu), 400 ms (menu)."));
  EXPECT_THAT(watch_text(what, {}), HasSubstr("8 processors, today."));
  EXPECT_THAT(watch_text(what, {}), HasSubstr("Cold in part: a device gave 8.00 KiB"));
  EXPECT_THAT(watch_json(what), HasSubstr("\"processors\": 8"));
  EXPECT_THAT(watch_json(what), HasSubstr("\"device_bytes\": 8192"));
  EXPECT_THAT(watch_json(what), HasSubstr("\"median_ns\": 200000000"));
  const watch_report more{
      .view = view,
      .gains = {{watch::gain_kind::decoding_on_threads, 90_ms, "On threads.", "A replay."},
                {watch::gain_kind::physfs, {}, "PhysicsFS.", "Measure it."}}};
  EXPECT_THAT(watch_text(more, {}),
              HasSubstr("What Overture would give\n  about 90.0 ms less: On threads.\n     A "
                        "replay.\n  to be measured: PhysicsFS.\n     Measure it.\n"));
  EXPECT_THAT(watch_json(more), HasSubstr("\"kind\": \"physfs\",\n      \"ns\": null"));
  shown.repeats.runs.pop_back();
  EXPECT_THAT(watch_text({.view = view, .repeats = shown.repeats}, {}), Not(HasSubstr("Each")));
}

}  // namespace
}  // namespace overture::cli::watch_runs_test
