// SPDX-License-Identifier: Zlib
#include "games/game_calls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "call_report/layout.hpp"
#include "support/temp_folder.hpp"
#include "terminal/display.hpp"

namespace overture::cli::game_calls_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

game_calls some_calls() {
  game_calls calls;
  calls.program = "/usr/games/game";
  calls.library = "/usr/lib/overture/physfs/lib/libphysfs.so.1";
  calls.start_ns = 500'000'000;
  calls.start_main_ns = 20'000'000;
  calls.run_ns = 9'000'000'000;
  calls.kinds = {
      {"open", 700, 10'000'000, 2}, {"read", 25'000, 20'000'000, 0}, {"mount", 9, 100, 1}};
  calls.reads = {{4, 14'000, 900'000}, {65'536, 1'000, 4'000'000}, {UINT64_MAX, 1, 7}};
  calls.threads = {{"game", true, 25'000, 30'000'000}, {"loader", false, 700, 1'000'000}};
  calls.names = {
      {.name = "fonts/a.ttf", .opens = 4, .reads = 100, .read_bytes = 400, .length = 100},
      {.name = "none.cfg", .misses = 3}};
  return calls;
}

TEST(game_calls, advice_is_given_only_where_the_numbers_say_so) {
  EXPECT_THAT(advice_for(some_calls()), IsEmpty());
  EXPECT_THAT(advice_for({}), IsEmpty());
}

TEST(game_calls, a_start_ends_before_two_quiet_seconds) {
  constexpr std::uint64_t second = 1'000'000'000;
  EXPECT_TRUE(call_report::belongs_to_start(0, 9 * second)) << "the first file";
  EXPECT_TRUE(call_report::belongs_to_start(9 * second, 11 * second - 1));
  EXPECT_FALSE(call_report::belongs_to_start(9 * second, 11 * second));
}

TEST(game_calls, many_tiny_reads_are_told) {
  game_calls calls = some_calls();
  calls.tiny_reads = 20'000;
  calls.names[0].tiny_reads = 15'000;
  EXPECT_THAT(advice_for(calls),
              ElementsAre("Read files whole, or in large pieces: 20,000 of 25,000 reads are of at "
                          "most 16 bytes, most often fonts/a.ttf with 15,000. "
                          "PHYSFS_overture_readFile() of physfs_overture.h reads a file in one "
                          "call."));
}

TEST(game_calls, a_file_that_is_read_again_is_told) {
  game_calls calls = some_calls();
  calls.names[0] = {.name = "menu.bmp", .opens = 3, .read_bytes = 3 << 20, .length = 1 << 20};
  EXPECT_THAT(advice_for(calls), ElementsAre("Keep menu.bmp in memory: it was opened 3 times, and "
                                             "2.00 MiB were read again."));
  calls.names[0] = {.name = "menu.bmp", .opens = 1, .read_bytes = 3 << 20};
  EXPECT_THAT(advice_for(calls), IsEmpty()) << "once, and it did not ask for the length";
  calls.names[0] = {.name = "tiny.cfg", .opens = 50, .read_bytes = 100};
  EXPECT_THAT(advice_for(calls), ElementsAre("Keep tiny.cfg in memory: it was opened 50 times."));
}

TEST(game_calls, what_is_looked_for_in_vain_is_told) {
  game_calls calls = some_calls();
  calls.names[1].misses = 145;
  EXPECT_THAT(advice_for(calls), ElementsAre("Remember what is not there: none.cfg was looked for "
                                             "145 times in vain."));
}

TEST(game_calls, mounts_that_fail_and_a_slow_main_thread_are_told) {
  game_calls calls = some_calls();
  calls.kinds[2] = {"mount", 89, 100, 71};
  calls.start_main_ns = 131'000'000;
  EXPECT_THAT(
      advice_for(calls),
      ElementsAre("Load on other threads too: the main thread spent 131 ms of the 500 ms of "
                  "the start in PHYSFS_ functions. Overture's do not wait for each other.",
                  "Mount only what is there: 71 of 89 calls to mount or unmount failed."));
}

TEST(game_calls, their_report_holds_together_at_40_columns) {
  game_calls calls = some_calls();
  calls.tiny_reads = 20'000;
  calls.names[0].name = "data/images/tiles/background/a_rather_long_name.png\x1b[2J";
  calls.names[0].misses = 200;
  const std::string text = game_calls_text(calls, {.width = 40});
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    // A path is not cut: it is there to be copied.
    if (line.find('/') == std::string::npos) {
      EXPECT_LE(display_width(line), 40u) << line;
    }
  }
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  for (const char* const part :
       {"Calls", "Reads", "Threads", "Looked for in vain", "none.cfg", "Opened more than once",
        "main thread", "loader", "What to change"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(game_calls, their_json_has_all_numbers) {
  const auto made = nlohmann::json::parse(game_calls_json({some_calls()}));
  const auto& process = made["processes"][0];
  EXPECT_EQ(process["program"], "/usr/games/game");
  EXPECT_EQ(process["calls"][0]["failures"], 2);
  EXPECT_EQ(process["reads"][2]["bytes_max"], nullptr);
  EXPECT_EQ(process["threads"][1]["name"], "loader");
  EXPECT_EQ(process["names"][0]["opens"], 4);
  EXPECT_THAT(process["advice"], IsEmpty());
}

TEST(game_calls, files_that_are_no_reports_are_passed_over) {
  const temp_folder box;
  box.write("1", "short");
  box.write("2", std::string(4 << 20, 'x'));
  EXPECT_THAT(read_game_calls(box.path()), IsEmpty());
  EXPECT_THAT(read_game_calls(box / "missing"), IsEmpty());
}

TEST(game_calls, text_is_broken_between_words) {
  EXPECT_EQ(wrapped("one two three", 9, "- ", "  "), "- one two\n  three\n");
  EXPECT_EQ(wrapped("one two three", 0, "- ", "  "), "- one two three\n");
  EXPECT_EQ(wrapped("incomprehensible is", 9, "- ", "  "), "- incomprehensible\n  is\n");
  EXPECT_EQ(wrapped("", 9, "- ", "  "), "- \n");
}

}  // namespace
}  // namespace overture::cli::game_calls_test
