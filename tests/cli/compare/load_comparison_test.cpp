// SPDX-License-Identifier: Zlib
#include "compare/load_comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/comparison_text.hpp"
#include "page/comparison_page.hpp"

namespace overture::cli::load_comparison_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

load_samples set(std::vector<measure> measures) {
  return {.loads = measures.front().values.size(),
          .hash = "1",
          .threads = 2,
          .measures = std::move(measures)};
}

load_comparison compare(const load_samples& was, const load_samples& now) {
  load_comparison what = compare_loads(was, now, pairing::apart, 0.05);
  what.was = "old.json";
  what.now = "new.json";
  return what;
}

const load_samples old_load = set({{measure_kind::load, "load", {1, 1.01, 0.99}},
                                   {measure_kind::load, "threads", {2, 2, 2}},
                                   {measure_kind::stage, "decode", {1, 1.01, 1}},
                                   {measure_kind::stage, "resolve", {0.001, 0.001, 0.001}},
                                   {measure_kind::type, "png", {0.9, 0.9, 0.9}},
                                   {measure_kind::file, "a.png", {0.3, 0.3, 0.3}},
                                   {measure_kind::file, "b.png", {0.2, 0.2, 0.2}},
                                   {measure_kind::bytes, "peak memory", {1e6, 1e6, 1e6}}});
const load_samples slower_load = set({{measure_kind::load, "load", {1.2, 1.21, 1.19}},
                                      {measure_kind::load, "threads", {2.4, 2.4, 2.4}},
                                      {measure_kind::stage, "decode", {1.3, 1.31, 1.29}},
                                      {measure_kind::stage, "resolve", {0.003, 0.003, 0.003}},
                                      {measure_kind::type, "png", {0.9, 0.9, 0.9}},
                                      {measure_kind::type, "tga", {0.3, 0.3, 0.3}},
                                      {measure_kind::file, "a.png", {0.6, 0.6, 0.6}},
                                      {measure_kind::file, "c.tga", {0.3, 0.3, 0.3}},
                                      {measure_kind::bytes, "peak memory", {2e6, 2e6, 2e6}}});

std::vector<std::string> names_of(const load_comparison& what) {
  std::vector<std::string> names;
  for (const compared_measure& each : what.measures) names.push_back(each.name);
  return names;
}

TEST(comparison, of_programs_speaks_of_runs_and_of_the_main_thread) {
  const auto watched = [](double seconds) {
    load_samples samples =
        set({{measure_kind::load, "load", {seconds, seconds, seconds}},
             {measure_kind::stage, "in file access", {0.2, 0.2, 0.2}},
             {measure_kind::wait, "a lock", {seconds / 2, seconds / 2, seconds / 2}},
             {measure_kind::finding, "tiny-reads", {seconds, seconds, seconds}}});
    samples.program = "/game/game";
    return samples;
  };
  load_samples now = watched(2);
  now.is_cold = true;
  load_comparison what = compare(watched(1), now);
  EXPECT_EQ(comparison_verdict(what),
            "2.00 s instead of 1.00 s: 100 % slower, most of it waiting for a lock "
            "(+500 ms of the main thread)");
  EXPECT_THAT(what.differences, ElementsAre("it was warm"));
  EXPECT_THAT(comparison_text(what, {}, {}),
              AllOf(HasSubstr("3 runs of new.json"), HasSubstr("What the main thread waited for"),
                    HasSubstr("Findings"), HasSubstr("tiny-reads")));
  EXPECT_THAT(comparison_page(what, {}), HasSubstr("Each dot is a run."));
  now.program = "/game/other";
  EXPECT_THAT(compare(watched(1), now).differences,
              ElementsAre("the program was /game/game", "it was warm"));
}

TEST(comparison, of_single_loads_that_are_far_apart_says_what_it_looks_like) {
  const auto once = [](double seconds) { return set({{measure_kind::load, "load", {seconds}}}); };
  load_comparison what = compare(once(5), once(2));
  EXPECT_EQ(comparison_verdict(what),
            "2.00 s instead of 5.00 s: 60 % faster, though these are too few loads to tell it from "
            "chance");
  EXPECT_THAT(comparison_text(what, {}, {}),
              AllOf(HasSubstr("faster?"), Not(HasSubstr("unclear"))));
  EXPECT_THAT(comparison_json(what, {}), HasSubstr("\"likely\": \"faster\""));
  what = compare(once(2), once(5));
  EXPECT_THAT(comparison_verdict(what), HasSubstr("150 % slower, though"));
  EXPECT_FALSE(what.is_slower()) << "the exit status needs to be sure";
  what = compare(once(2), once(2.9));
  EXPECT_THAT(comparison_verdict(what), HasSubstr("too few loads to tell; repeat"));
  EXPECT_EQ(compare_loads(once(2), once(5), pairing::apart, 1.0).load.judged.likely,
            change::unclear)
      << "the user does not mind that much";
}

TEST(comparison, has_what_matters_by_kind_with_the_largest_change_first) {
  const load_comparison what = compare(old_load, slower_load);
  EXPECT_TRUE(what.is_slower());
  EXPECT_THAT(what.differences, IsEmpty());
  EXPECT_THAT(names_of(what), ElementsAre("decode", "tga", "png", "a.png", "peak memory"));
  EXPECT_EQ(what.measures[1].judged.verdict, change::more) << "a type that was not there";
  EXPECT_EQ(what.measures[2].judged.verdict, change::same);
}

TEST(comparison, begins_with_what_changed_most) {
  EXPECT_EQ(comparison_verdict(compare(old_load, slower_load)),
            "1.20 s instead of 1.00 s: 20 % slower (17.8 to 22.2 %), most of it in decode (+300 ms "
            "of all threads)");
  EXPECT_THAT(comparison_verdict(compare(slower_load, old_load)),
              AllOf(HasSubstr("faster"), HasSubstr("decode (-300 ms")));
  EXPECT_EQ(comparison_verdict(compare(old_load, old_load)),
            "1.00 s instead of 1.00 s: no difference above 5 %");
  const load_samples far = set({{measure_kind::load, "load", {5, 5, 5}}});
  EXPECT_THAT(comparison_verdict(compare(old_load, far)),
              HasSubstr(": 5 times as slow (4.95 to 5.05)"));
  const load_samples noisy = set({{measure_kind::load, "load", {0.8, 1.1, 1.3}}});
  EXPECT_THAT(comparison_verdict(compare(old_load, noisy)),
              HasSubstr("not told from chance; about "));
}

TEST(comparison, finds_in_cpu_time_what_noise_hides) {
  const load_samples was = set({{measure_kind::load, "load", {1, 1.4, 0.9}},
                                {measure_kind::stage, "decode", {1, 1.8, 0.9}},
                                {measure_kind::cpu, "decode", {0.8, 0.81, 0.8}},
                                {measure_kind::cpu, "unpack", {0.1, 0.1, 0.1}}});
  load_samples now = was;
  now.measures[2].values = {0.9, 0.91, 0.9};
  EXPECT_THAT(comparison_verdict(compare(was, now)),
              AllOf(HasSubstr("not told from chance"),
                    HasSubstr("; decode takes 900 ms CPU time instead of 800 ms")));
}

TEST(comparison, says_why_two_loads_are_not_comparable) {
  load_samples other = old_load;
  other.hash = "2";
  other.threads = 1;
  EXPECT_THAT(compare(other, old_load).differences,
              ElementsAre("the files differ", "it had 1 thread"));
  EXPECT_THAT(compare_loads(other, old_load, pairing::in_turns, 0.05).differences, IsEmpty())
      << "other mounts on purpose";
}

TEST(comparison, is_a_table_that_names_cannot_break) {
  load_comparison what = compare(old_load, slower_load);
  what.measures[1].name = "a|b<img src=x>`\n**\x1b[31m";
  const std::string table = comparison_markdown(what, {"total is 2 s"});
  EXPECT_THAT(table,
              HasSubstr("| load | 1.00 s | 1.20 s | +20.0 % | +17.8 % to +22.2 % | slower |\n"));
  EXPECT_THAT(table, HasSubstr("| type a\\|b\\<img src=x\\>\\`"));
  EXPECT_THAT(table, HasSubstr("Over a limit: total is 2 s.\n"));
  EXPECT_THAT(table, Not(HasSubstr("type png"))) << "what is the same";
  EXPECT_THAT(comparison_text(what, {}, {}), Not(HasSubstr("\x1b")));
}

TEST(comparison, is_a_page_that_names_cannot_break) {
  load_comparison what = compare(old_load, slower_load);
  what.measures[1].name = "<script>\"'&\n\xff";
  what.was = "</title><b>";
  const std::string page = comparison_page(what, {"total is <2 s"});
  EXPECT_THAT(page, HasSubstr("<h1>1.20 s instead of 1.00 s</h1>"));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("<script>")), Not(HasSubstr("</title><b>")),
                          Not(HasSubstr("<2 s")), Not(HasSubstr("\xff"))));
  EXPECT_THAT(page, HasSubstr("aria-label=\"1.19 s to 1.21 s, was 990 ms to 1.01 s\""));
}

TEST(comparison, is_json) {
  const std::string text = comparison_json(compare(old_load, slower_load), {});
  EXPECT_THAT(text, AllOf(HasSubstr("\"slower\": true"), HasSubstr("\"name\": \"tga\""),
                          HasSubstr("\"ratio\": null"), HasSubstr("\"exceeded\": []")));
}

TEST(baseline, has_the_load_mounting_and_the_stages) {
  const report_baseline compared = baseline_of(old_load, slower_load, 0.1);
  EXPECT_TRUE(compared.slower);
  ASSERT_EQ(compared.times.size(), 3u);
  EXPECT_EQ(compared.times[0].name, "load");
  EXPECT_EQ(compared.times[0].was.median_ns, 1'000'000'000u);
  EXPECT_EQ(compared.times[0].now.median_ns, 1'200'000'000u);
  EXPECT_TRUE(compared.times[0].slower);
  EXPECT_FALSE(baseline_of(old_load, slower_load, 0.2).slower) << "within the tolerance";
  EXPECT_FALSE(baseline_of(slower_load, old_load, 0.1).slower);
  EXPECT_TRUE(baseline_of(old_load, slower_load, 0.1).times[1].slower) << "resolve";
}

}  // namespace
}  // namespace overture::cli::load_comparison_test
