// SPDX-License-Identifier: Zlib
#include "report/report_read.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/sample_report.hpp"
#include "report/report_json.hpp"
#include "report/report_text.hpp"

namespace overture::cli::report_read_test {
namespace {

using json = nlohmann::ordered_json;

std::string mistake_in(const std::string& text) {
  const auto read = parse_report(text);
  const std::string* const why = std::get_if<std::string>(&read);
  return why ? *why : "";
}

report full_report() {
  report what = sample_report();
  what.budget_bytes = 256 * mib;
  what.summary.reads.block_wait_ns = 70 * ms;
  what.slowest[1].block_wait_ns = 60 * ms;
  what.verdict.shares[2].ns -= 30 * ms;
  what.verdict.shares.push_back({idle_reasons::solid_block, true, 30 * ms});
  what.tells_page_cache = false;
  what.largest = {"gfx/huge.png", 3 * mib, 5 * mib, 70 * mib};
  what.images = {7, 90 * ms, 12 * mib, "gfx/title.png", 50 * ms};
  what.hints = {"mount it with --archives-in"};
  what.missing = {"nothing much"};
  what.mount_failures = {{"a/b", "game/dlc/rome", "mount", "permission", "cannot list"}};
  what.repeats = {.loads = 3,
                  .hash = "0123456789abcdef",
                  .threads = 2,
                  .measures = {{measure_kind::load, "load", {0.005, 0.004, 0.009}},
                               {measure_kind::stage, "decode", {0.003, 0.002, 0.004}}}};
  what.exceeded = {"total is 5 s, above the limit of 1 s"};
  report_baseline& old = what.baseline.emplace();
  old.file = "old.json";
  old.slower = true;
  old.differences = {"it had 3 threads"};
  old.times = {{"load", {1, 1, 1}, {2 * ms, 2, 3 * ms}, true}};
  return what;
}

TEST(report_read, what_was_written_comes_back) {
  for (const report& what : {full_report(), sample_report(), report{}}) {
    const std::string text = report_json(what);
    const auto read = parse_report(text);
    const report* const back = std::get_if<report>(&read);
    ASSERT_NE(back, nullptr) << mistake_in(text);
    EXPECT_EQ(report_json(*back), text);
    EXPECT_EQ(report_text(*back, {}), report_text(what, {}));
  }
}

TEST(report_read, odd_times_come_back_to_the_nanosecond) {
  report what = sample_report();
  std::uint64_t ns = 1;
  for (report_share& share : what.verdict.shares) share.ns = ns = ns * 31 + 7;
  const auto read = parse_report(report_json(what));
  const report& back = std::get<report>(read);
  for (std::size_t i = 0; i < what.verdict.shares.size(); ++i) {
    EXPECT_EQ(back.verdict.shares[i].ns, what.verdict.shares[i].ns);
  }
}

TEST(report_read, what_is_no_report_is_told_why) {
  EXPECT_EQ(mistake_in(""), "it is no whole JSON: it is damaged, or was cut");
  EXPECT_EQ(mistake_in("[]"), "'' is no object");
  EXPECT_EQ(mistake_in("{}"), "its schema is 0, and this version reads 1");
  EXPECT_EQ(mistake_in(R"({"schema":2})"), "its schema is 2, and this version reads 1");
  EXPECT_EQ(mistake_in(R"({"schema":1})"), "it has no 'seconds'");
}

TEST(report_read, a_report_that_was_cut_is_refused_wherever) {
  const std::string text = report_json(full_report());
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_NE(mistake_in(text.substr(0, text.size() * i / 200)), "") << i;
  }
}

// Each value replaced by one of another kind, however deep: either refused or read, never worse.
void replace_each(json& whole, json& at, const std::vector<json>& others, std::size_t& refused) {
  for (json& each : at) {
    const json before = each;
    for (const json& other : others) {
      each = other;
      const auto read = parse_report(whole.dump());
      if (const report* const back = std::get_if<report>(&read)) {
        EXPECT_FALSE(report_text(*back, {}).empty());
        EXPECT_FALSE(report_json(*back).empty());
      } else {
        ++refused;
      }
    }
    each = before;
    if (each.is_structured()) replace_each(whole, each, others, refused);
  }
}

TEST(report_read, values_of_other_kinds_do_no_harm) {
  report what = full_report();
  what.warnings.resize(2);
  what.skipped.resize(1);
  json whole = json::parse(report_json(what));
  std::size_t refused = 0;
  replace_each(whole, whole,
               {nullptr, -1, 1e300, UINT64_MAX, "\x1b[2J", json::array({json::array()}),
                json{{"a", json::object()}}, json::array({1, "x", nullptr})},
               refused);
  EXPECT_GT(refused, 500u);
}

TEST(report_read, words_that_are_shown_as_they_are_cannot_reach_a_terminal) {
  json whole = json::parse(report_json(full_report()));
  const std::string evil = "\x1b]0;owned\x07";
  whole["bound"] = evil;
  whole["verdict_shares"][0]["name"] = evil;
  whole["mounts"][0]["format"] = evil;
  whole["types"][0]["what"] = evil;
  whole["cores"][0]["name"] = evil;
  whole["failures"][0]["stage"] = evil;
  whole["failures"][0]["mount"] = evil;
  whole["overrides"][0]["winner"] = evil;
  whole["hints"][0] = evil;
  whole["missing"][0] = evil;
  whole["memory"][evil] = 5;
  whole["repeats"]["measures"][1]["name"] = evil;
  whole["exceeded"][0] = evil;
  whole["baseline"]["differences"][0] = evil;
  whole["baseline"]["file"] = evil;
  const auto read = parse_report(whole.dump());
  const report* const back = std::get_if<report>(&read);
  ASSERT_NE(back, nullptr);
  const std::string text = report_text(*back, {});
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  EXPECT_NE(text.find("owned"), std::string::npos);
}

}  // namespace
}  // namespace overture::cli::report_read_test
