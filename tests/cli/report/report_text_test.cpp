// SPDX-License-Identifier: Zlib
#include "report/report_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cli/sample_report.hpp"
#include "terminal/display.hpp"

namespace overture::cli::report_text_test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Compares with a file in golden/. OVERTURE_UPDATE_GOLDEN=1 rewrites the file instead.
void expect_golden(const std::string& text, const std::string& name) {
  const std::string path = std::string(OVERTURE_GOLDEN_FOLDER "/") + name;
  if (std::getenv("OVERTURE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  std::stringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(text, expected.str()) << "If the new text is right, run with OVERTURE_UPDATE_GOLDEN=1";
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(text_report, leaves_out_the_read_threads_that_did_next_to_nothing) {
  report what = sample_report();
  what.threads_used[2].stage_ns = {0, 12 * ms, 0, 0, 0};  // of 1,230
  EXPECT_NE(report_text(what, {}).find("  1 idle read thread not shown\n"), std::string::npos);
  what.threads_used[2].stage_ns = {0, 13 * ms, 0, 0, 0};
  EXPECT_EQ(report_text(what, {}).find("not shown"), std::string::npos);
}

TEST(text_report, tells_waiting_for_solid_blocks_from_waiting_for_the_disk) {
  report what = sample_report();
  EXPECT_EQ(report_text(what, {}).find("solid block"), std::string::npos);
  what.verdict.shares = {{"unpack", false, 1500 * ms}, {idle_reasons::solid_block, true, 960 * ms}};
  what.summary.reads.disk_bytes = 0;
  what.summary.reads.block_wait_ns = 700 * ms;
  const std::string text = report_text(what, {});
  EXPECT_NE(text.find("went to unpack, 39 % to waiting for solid blocks to be unpacked\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\nReads (sums; many overlap)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("700 ms  until another read had unpacked their solid block\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("solid block\n"), std::string::npos) << "as a wait: " << text;
}

TEST(load_time_text, has_the_time_of_mounting_where_it_is_much) {
  report what;
  what.summary.ns = 8660 * ms;
  what.mount_ns = 400 * ms;
  EXPECT_EQ(load_time_text(what), "8.66 s");
  what.mount_ns = 1140 * ms;
  EXPECT_EQ(load_time_text(what), "8.66 s, and 1.14 s to mount");
  EXPECT_EQ(load_time_text({}), "0.00 ms");
}

TEST(text_report, looks_as_expected_in_a_pipe) {
  expect_golden(report_text(sample_report(), {}), "report.txt");
}

TEST(text_report, looks_as_expected_on_a_terminal) {
  text_style style;
  style.colour = true;
  style.unicode = true;
  style.width = 80;
  expect_golden(report_text(sample_report(), style), "report_terminal.txt");
}

TEST(text_report, fits_tables_to_the_terminal) {
  report what = sample_report();
  what.failures.clear();
  what.slowest[0].path = std::string(300, 'x');
  what.mounts[0].path = std::string(300, 'x');
  what.overrides.clear();
  what.slowest[0].mount = what.slowest[1].mount = what.mounts[1].path;
  text_style style;
  style.width = 80;
  const std::vector<std::string> lines = lines_of(report_text(what, style));
  for (std::size_t i = 1; i < lines.size(); ++i) {  // the verdict is a sentence and may wrap
    EXPECT_LE(display_width(lines[i]), 80u) << lines[i];
  }
}

TEST(text_report, escapes_names_for_the_terminal) {
  report what = sample_report();
  const std::string evil = "\x1b[2Jx\r\n\u009b";
  what.mounts[0].path = evil;
  what.slowest = {{evil, evil, 1, {}, 0, 0}};
  what.overrides = {{evil, evil, evil}};
  what.failures = {{evil, evil, "read", "io", evil}};
  what.warnings = {{evil, evil, evil, 0}};
  what.skipped = {{evil, evil, "why"}};
  what.types[0].extension = evil;
  const std::string text = report_text(what, {});
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\r")));
  EXPECT_THAT(text, Not(HasSubstr("\u009b")));
}

TEST(text_report, lists_all_failures_but_not_all_overrides) {
  report what = sample_report();
  what.overrides.assign(50, what.overrides[0]);
  what.failures.assign(50, what.failures[0]);
  const std::string text = report_text(what, {});
  EXPECT_THAT(text, HasSubstr("and 30 more (--json lists all)"));
  std::size_t failures = 0;
  for (const std::string& line : lines_of(text)) {
    if (line.find("not a PNG") != std::string::npos) ++failures;
  }
  EXPECT_EQ(failures, 50u);
}

TEST(text_report, sums_up_rare_types) {
  report what = sample_report();
  what.types.assign(20, what.types[1]);
  EXPECT_THAT(report_text(what, {}), HasSubstr("6,400  800 MiB        -  1.60 s  8 others"));
}

TEST(text_report, distinguishes_mounts_of_the_same_name_by_path) {
  report what = sample_report();
  what.mounts[1].path = "other/base.pk3";
  what.overrides = {{"a", "other/base.pk3", "game/base.pk3"}};
  what.slowest.clear();
  what.skipped.clear();
  EXPECT_THAT(report_text(what, {}), HasSubstr("other/base.pk3  game/base.pk3  a"));
}

TEST(text_report, says_that_it_is_partial_when_interrupted) {
  report what = sample_report();
  what.interrupted = true;
  what.summary.cancelled = 17;
  EXPECT_THAT(report_text(what, {}),
              HasSubstr("interrupted: 17 files not loaded; the report is partial"));
}

TEST(text_report, says_when_other_programs_used_the_cpu) {
  report what = sample_report();
  EXPECT_THAT(report_text(what, {}), Not(HasSubstr("other programs")));
  what.threads_used[0].cpu_ns /= 4;
  what.threads_used[1].cpu_ns /= 4;
  EXPECT_THAT(report_text(what, {}),
              HasSubstr("other programs used the CPU: busy threads ran only 25 % of the time"));
}

TEST(text_report, says_where_the_bytes_came_from_right_after_the_verdict) {
  report what = sample_report();
  EXPECT_EQ(lines_of(report_text(what, {}))[2],
            "  150 MiB read from the disk, 38.0 MiB from the page cache");
  what.summary.reads = {.cached_bytes = 1u << 20};
  const std::string text = report_text(what, {});
  EXPECT_THAT(text, HasSubstr("\n  0 B read from the disk, 1.00 MiB from the page cache\n"));
  EXPECT_THAT(text, Not(HasSubstr("a read from the disk took")));
  EXPECT_THAT(text, Not(HasSubstr("Reads from the disk")));
}

TEST(text_report, says_so_if_the_system_does_not_say_where_the_bytes_came_from) {
  report what = sample_report();
  what.tells_page_cache = false;
  const std::string text = report_text(what, {});
  EXPECT_EQ(lines_of(text)[2],
            "  150 MiB read, from the disk or the page cache: this system does not say");
  EXPECT_THAT(text, HasSubstr("\n  a read took "));
  EXPECT_THAT(text, HasSubstr("\nReads (sums"));
  EXPECT_THAT(text, Not(HasSubstr("from the disk,")));
  EXPECT_THAT(text, Not(HasSubstr("from the disk took")));
}

TEST(text_report, gives_its_hints_after_the_totals) {
  report what = sample_report();
  what.hints = {"2 archives in base are plain files here; '--archives-in base' mounts them"};
  EXPECT_THAT(report_text(what, {}),
              HasSubstr("\n  hash 0123456789abcdef\n  2 archives in base are plain files here; "));
}

TEST(text_report, names_what_took_it_over_the_budget) {
  report what = sample_report();
  what.budget_bytes = 64u << 20;
  what.largest = {"gfx/huge.png", 0, 12u << 20, 371u << 20};
  what.summary.in_flight_bytes_max = 64u << 20;
  EXPECT_THAT(report_text(what, {}), Not(HasSubstr("budget of")));
  what.summary.in_flight_bytes_max = 383u << 20;
  EXPECT_THAT(
      report_text(what, {}),
      HasSubstr("\n  383 MiB in flight, over the budget of 64.0 MiB: gfx/huge.png has 12.0 MiB to "
                "be decoded to 371 MiB, and what does not fit is loaded alone\n"));
  what.summary.in_flight_by_module[static_cast<std::size_t>(memory_tag::decode)] = 600u << 20;
  EXPECT_THAT(report_text(what, {}),
              HasSubstr(" 371 MiB, for which decoders took up to 600 MiB, and"));
  what.summary.in_flight_by_module[static_cast<std::size_t>(memory_tag::vfs)] = 500u << 20;
  EXPECT_THAT(report_text(what, {}),
              HasSubstr(": a solid block takes up to 500 MiB; repack with smaller ones\n"));
}

TEST(text_report, has_the_verdict_again_if_it_is_longer_than_the_terminal) {
  const report what = sample_report();
  const std::string plain = report_text(what, {});
  const auto lines = static_cast<unsigned>(std::count(plain.begin(), plain.end(), '\n'));
  EXPECT_EQ(report_text(what, {.height = lines + 1}), plain);
  EXPECT_EQ(report_text(what, {.height = lines}), plain + "\n" + verdict_sentence(what) + "\n");
}

TEST(text_report, counts_idle_read_threads) {
  report what = sample_report();
  EXPECT_THAT(report_text(what, {}), Not(HasSubstr("idle read threads")));
  for (int i = 0; i < 12; ++i) what.threads_used.push_back({.name = "io idle", .is_worker = false});
  const std::string text = report_text(what, {});
  EXPECT_THAT(text, HasSubstr("\n  12 idle read threads not shown\n"));
  EXPECT_THAT(text, Not(HasSubstr("io idle")));
}

TEST(text_report, says_what_was_kept) {
  report what = sample_report();
  EXPECT_THAT(report_text(what, {}),
              HasSubstr("  kept 912 MiB: 2,000 images, 1,890 undecoded files\n"));
  what.kept.reset();
  EXPECT_THAT(report_text(what, {}), Not(HasSubstr("kept")));
}

TEST(text_report, is_short_for_an_empty_load) {
  report what;
  what.threads = 1;
  EXPECT_THAT(report_text(what, {}), StartsWith("nothing to load"));
}

TEST(verdict_line, names_the_largest_shares) {
  EXPECT_EQ(verdict_sentence(sample_report()),
            "decode-bound: 61 % of the 2 threads' time went to decode, 20 % to unpack, 9 % to "
            "waiting for reads");
}

TEST(verdict_line, leaves_out_tiny_shares) {
  report what = sample_report();
  what.threads = 1;
  what.verdict.name = "waiting for reads";
  what.verdict.shares = {{idle_reasons::read, true, 2459'000'000}, {"read", false, 1'000'000}};
  EXPECT_EQ(verdict_sentence(what),
            "waiting for reads: 100 % of the thread's time went to waiting for reads");
}

}  // namespace
}  // namespace overture::cli::report_text_test
