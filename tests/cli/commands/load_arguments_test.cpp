// SPDX-License-Identifier: Zlib
#include "commands/load_arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/command.hpp"
#include "system/exit_code.hpp"

namespace overture::cli::load_arguments_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> paths_of(const std::vector<mount_argument>& mounts) {
  std::vector<std::string> paths;
  for (const mount_argument& mount : mounts) paths.push_back(mount.path);
  return paths;
}

TEST(load_command_line, takes_mounts_and_options_in_any_order) {
  load_arguments arguments;
  EXPECT_EQ(parse_load({"base.pk3", "--threads", "2", "dlc", "--archives-in", "a", "mods",
                        "--archives-in=b", "--first-wins", "--no-decode", "--trace=t.json", "-q",
                        "--progress", "never", "--color=always", "--io=uring", "--io-threads=9",
                        "--budget=1", "--keep"},
                       arguments),
            std::nullopt);
  EXPECT_THAT(paths_of(arguments.tree.mounts), ElementsAre("base.pk3", "dlc", "a", "mods", "b"));
  EXPECT_TRUE(arguments.tree.first_wins);
  EXPECT_EQ(arguments.threads, 2u);
  EXPECT_EQ(arguments.io, "uring");
  EXPECT_EQ(arguments.io_threads, 9u);
  EXPECT_EQ(arguments.budget_mib, 1u);
  EXPECT_TRUE(arguments.no_decode);
  EXPECT_TRUE(arguments.keep);
  EXPECT_EQ(arguments.trace, "t.json");
  EXPECT_TRUE(arguments.quiet);
  EXPECT_EQ(arguments.progress, when::never);
  EXPECT_EQ(arguments.colour, when::always);
}

TEST(load_command_line, takes_any_number_of_globs_to_leave_out) {
  load_arguments arguments;
  EXPECT_EQ(parse_load({"x", "--exclude", "*.bak", "--exclude=docs/**", "--strict"}, arguments),
            std::nullopt);
  EXPECT_THAT(arguments.exclude, ElementsAre("*.bak", "docs/**"));
  EXPECT_TRUE(arguments.strict);
}

TEST(load_command_line, takes_the_time_for_one_file_in_seconds) {
  load_arguments arguments;
  EXPECT_EQ(parse_load({"x", "--file-time-max", "7"}, arguments), std::nullopt);
  EXPECT_EQ(arguments.file_seconds_max, 7u);
}

TEST(load_command_line, takes_how_to_measure) {
  load_arguments arguments;
  EXPECT_EQ(parse_load({"x", "--cold", "--repeat=5", "--baseline", "old.json", "--tolerance=3"},
                       arguments),
            std::nullopt);
  EXPECT_TRUE(arguments.cold);
  EXPECT_EQ(arguments.repeat, 5u);
  EXPECT_EQ(arguments.baseline, "old.json");
  EXPECT_EQ(arguments.tolerance_percent, 3u);
}

TEST(load_command_line, ends_options_at_a_double_dash) {
  load_arguments arguments;
  EXPECT_EQ(parse_load({"--", "--weird", "-q"}, arguments), std::nullopt);
  EXPECT_THAT(paths_of(arguments.tree.mounts), ElementsAre("--weird", "-q"));
}

TEST(load_command_line, applies_a_mount_point_to_the_mounts_after_it) {
  load_arguments arguments;
  EXPECT_EQ(parse_load({"base", "--mount-point", "gfx/fonts", "fonts", "--archives-in=more",
                        "--mount-point=/", "mod.zip", "--archives-in", "last"},
                       arguments),
            std::nullopt);
  EXPECT_THAT(arguments.tree.mounts,
              ElementsAre(mount_argument{.path = "base", .at = ""},
                          mount_argument{.path = "fonts", .at = "gfx/fonts"},
                          mount_argument{.path = "more", .at = "gfx/fonts", .archives_in = true},
                          mount_argument{.path = "mod.zip", .at = "/"},
                          mount_argument{.path = "last", .at = "/", .archives_in = true}));
}

// The exit code of a run, and what it prints on standard error.
std::pair<int, std::string> run_and_listen(const std::vector<std::string>& words) {
  testing::internal::CaptureStderr();
  const int code = run_command(words);
  return {code, testing::internal::GetCapturedStderr()};
}

TEST(load_command_line, names_every_mistake_and_exits_with_2) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"load", "--thread", "4"}, "unknown option '--thread'; did you mean '--threads'?"},
      {{"load", "--jsn=1", "x"}, "unknown option '--jsn'; did you mean '--json'?"},
      {{"load", "x", "-x"}, "unknown option '-x'"},
      {{"load", "x", "--mount-point", "y"},
       "--mount-point applies to the mounts after it, but none follows"},
      {{"load", "--mount-point", "../a", "x", "--mount-point", "../b", "y"},
       "--mount-point '../a': "},
      {{"ls", "--password", "a", "x", "--password=b"},
       "--password applies to the mounts after it, but none follows"},
      {{"load", "--password", "a"}, "nothing to load"},
      {{"load", "x", "--threads", "0"}, "--threads: '0' is not a whole number from 1 to 193"},
      {{"load", "x", "--threads", "-1"}, "--threads"},
      {{"load", "x", "--threads", "2x"}, "--threads: '2x' is not a whole number from 1 to 193"},
      {{"load", "x", "--threads"}, "--threads needs a value"},
      {{"load", "x", "--threads=1", "--threads=2"}, "--threads may be given only once"},
      {{"load", "x", "--budget=99999999999999999999"}, "--budget"},
      {{"load", "x", "--color", "sometimes"},
       "--color: 'sometimes' is not one of auto, always, never"},
      {{"load"}, "nothing to load: give a folder or an archive"},
      {{"load", "x", "--trace", "-", "--json"},
       "--json and --trace - both write to standard output"},
      {{"load", "x", "--trace", "t.json", "--repeat", "2"},
       "--trace records one load; leave out --repeat"},
      {{"load", "x", "--repeat", "0"}, "--repeat: '0' is not a whole number from 1 to 100"},
      {{"laod", "x"}, "unknown command 'laod'; did you mean 'load'?"},
      {{"--versoin"}, "unknown option '--versoin'; did you mean '--version'?"},
      {{"help", "lood"}, "unknown command 'lood'; did you mean 'load'?"},
  };
  for (const auto& [words, expected] : cases) {
    const auto [code, said] = run_and_listen(words);
    EXPECT_EQ(code, exit_usage) << expected;
    EXPECT_THAT(said, HasSubstr("error: "));
    EXPECT_THAT(said, HasSubstr(expected));
    EXPECT_THAT(said, HasSubstr("Run 'overture help"));
  }
}

TEST(load_command_line, escapes_mistakes_for_the_terminal) {
  const auto [code, said] = run_and_listen({"\x1b[2J"});
  EXPECT_EQ(code, exit_usage);
  EXPECT_EQ(said.find('\x1b'), std::string::npos);
}

TEST(overture_command, prints_help_as_an_error_without_arguments) {
  const auto [code, said] = run_and_listen({});
  EXPECT_EQ(code, exit_usage);
  EXPECT_THAT(said, HasSubstr("Usage: overture COMMAND"));
}

TEST(overture_command, has_help_within_80_columns_for_every_command) {
  for (const command& each : commands()) {
    testing::internal::CaptureStdout();
    EXPECT_EQ(run_command({"help", each.name}), exit_ok);
    const std::string help = testing::internal::GetCapturedStdout();
    EXPECT_THAT(help, HasSubstr(std::string("Usage: overture ") + each.name));
    std::size_t column = 0;
    for (const char c : help) {
      column = c == '\n' ? 0 : column + 1;
      ASSERT_LT(column, 80u) << help;
    }
  }
}

}  // namespace
}  // namespace overture::cli::load_arguments_test
