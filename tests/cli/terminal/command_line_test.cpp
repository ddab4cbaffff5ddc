// SPDX-License-Identifier: Zlib
#include "terminal/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "system/exit_code.hpp"

namespace overture::cli::command_line_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* group = "Serving";

// A command with one option of each kind.
struct tea_command {
  bool milk = false;
  std::string cup = "mug";
  unsigned minutes = 3;
  std::string kind = "green";
  std::vector<std::string> guests;
  std::vector<std::string> in_order;
  command_line line;

  tea_command()
      : line({.name = "tea",
              .usage = "overture tea [OPTIONS] GUEST...",
              .description = "Make tea for every guest who is named, and for none of the others, "
                             "however politely they ask.",
              .examples = "  overture tea alice\n",
              .footer = "Exit status\n  0  served\n"}) {
    line.words({"GUEST", "Guests", "a guest who gets tea"}, [this](const std::string& word) {
      guests.push_back(word);
      in_order.push_back("guest " + word);
    });
    line.words({"--sugar N", group, "lumps for the guests after it"},
               [this](const std::string& word) { in_order.push_back("sugar " + word); });
    line.flag({"-m,--milk", group, "with milk"}, milk);
    line.word({"--cup CUP", group, "what to pour it into"}, cup);
    line.number({"--minutes-in-the-teapot N", group, "how long it draws"}, 1, 10, minutes);
    line.word(
        {"--kind KIND", group, "green or black"}, [this](const std::string& word) { kind = word; },
        one_of({"green", "black"}));
  }
};

// What parse() prints on standard error. It must end the command with exit_usage.
std::string mistake_of(const std::vector<std::string>& words) {
  tea_command tea;
  testing::internal::CaptureStderr();
  const std::optional<int> over = tea.line.parse(words);
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(over, exit_usage) << said;
  EXPECT_THAT(tea.in_order, IsEmpty()) << "delivered despite a mistake";
  return said;
}

TEST(command_line_parser, keeps_the_defaults_of_omitted_options) {
  tea_command tea;
  EXPECT_EQ(tea.line.parse({}), std::nullopt);
  EXPECT_FALSE(tea.milk);
  EXPECT_EQ(tea.cup, "mug");
  EXPECT_EQ(tea.minutes, 3u);
  EXPECT_EQ(tea.kind, "green");
  EXPECT_THAT(tea.guests, IsEmpty());
}

TEST(command_line_parser, takes_values_after_a_space_or_an_equals_sign) {
  tea_command tea;
  EXPECT_EQ(tea.line.parse({"alice", "-m", "--cup", "glass", "--minutes-in-the-teapot=10",
                            "--kind=black", "bob"}),
            std::nullopt);
  EXPECT_TRUE(tea.milk);
  EXPECT_EQ(tea.cup, "glass");
  EXPECT_EQ(tea.minutes, 10u);
  EXPECT_EQ(tea.kind, "black");
  EXPECT_THAT(tea.guests, ElementsAre("alice", "bob"));
}

TEST(command_line_parser, delivers_words_in_command_line_order) {
  tea_command tea;
  EXPECT_EQ(tea.line.parse({"alice", "--sugar", "1", "bob", "-m", "carol", "--sugar=2", "--",
                            "--sugar", "dave"}),
            std::nullopt);
  EXPECT_THAT(tea.in_order, ElementsAre("guest alice", "sugar 1", "guest bob", "guest carol",
                                        "sugar 2", "guest --sugar", "guest dave"));
}

TEST(command_line_parser, gives_a_repeatable_option_one_word_each_time) {
  tea_command tea;
  EXPECT_EQ(tea.line.parse({"--sugar", "1", "2"}), std::nullopt);
  EXPECT_THAT(tea.in_order, ElementsAre("sugar 1", "guest 2"));
}

TEST(command_line_parser, reads_leading_zeros_as_decimal) {
  for (const char* const word : {"--minutes-in-the-teapot=010", "--minutes-in-the-teapot=08"}) {
    tea_command tea;
    EXPECT_EQ(tea.line.parse({word}), std::nullopt);
    EXPECT_EQ(tea.minutes, word[std::string_view(word).size() - 1] == '0' ? 10u : 8u);
  }
}

TEST(command_line_parser, accepts_the_largest_number_of_every_type) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  command_line line({.name = "count", .usage = "", .description = "", .footer = ""});
  int number = 0;
  unsigned small = 0;
  std::uint64_t large = 0;
  line.number({"--int N", group, ""}, 0, 1000, number);
  line.number({"--small N", group, ""}, 0, 1000, small);
  line.number({"--large N", group, ""}, 0, most, large);
  EXPECT_EQ(line.parse({"--int=1000", "--small=1000", "--large", std::to_string(most)}),
            std::nullopt);
  EXPECT_EQ(number, 1000);
  EXPECT_EQ(small, 1000u);
  EXPECT_EQ(large, most);
}

TEST(command_line_parser, names_the_mistake_and_where_to_find_help) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"alice", "--mlik"}, "unknown option '--mlik'; did you mean '--milk'?"},
      {{"--cpu=glass"}, "unknown option '--cpu'; did you mean '--cup'?"},
      {{"--cup"}, "--cup needs a value"},
      {{"--cup=a", "--cup=b"}, "--cup may be given only once"},
      {{"--minutes-in-the-teapot", "0"}, "'0' is not a whole number from 1 to 10"},
      {{"--minutes-in-the-teapot=11"}, "'11' is not a whole number from 1 to 10"},
      {{"--minutes-in-the-teapot=2.5"}, "'2.5' is not a whole number from 1 to 10"},
      {{"--kind", "red"}, "--kind: 'red' is not one of green, black"},
      {{"alice", "--kind", "red", "--sugar", "1"}, "--kind: 'red' is not one of green, black"},
  };
  for (const auto& [words, expected] : cases) {
    const std::string said = mistake_of(words);
    EXPECT_THAT(said, HasSubstr("error: "));
    EXPECT_THAT(said, HasSubstr(expected));
    EXPECT_THAT(said, HasSubstr("Run 'overture help tea' for help.\n"));
  }
}

TEST(command_line_parser, rejects_unexpected_arguments) {
  command_line line({.name = "quiet", .usage = "", .description = "", .footer = ""});
  testing::internal::CaptureStderr();
  EXPECT_EQ(line.parse({"word"}), exit_usage);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "error: unexpected argument 'word'\nRun 'overture help quiet' for help.\n");
}

TEST(command_line_parser, reports_mistakes_of_the_command_in_the_same_form) {
  const tea_command tea;
  testing::internal::CaptureStderr();
  EXPECT_EQ(tea.line.usage_error("no guests"), exit_usage);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "error: no guests\nRun 'overture help tea' for help.\n");
}

TEST(command_line_parser, prints_help_by_group_and_delivers_nothing) {
  for (const char* const asked : {"-h", "--help"}) {
    tea_command tea;
    testing::internal::CaptureStdout();
    EXPECT_EQ(tea.line.parse({"alice", asked}), exit_ok);
    EXPECT_EQ(testing::internal::GetCapturedStdout(),
              R"(Make tea for every guest who is named, and for none of the others, however
politely they ask.

Usage: overture tea [OPTIONS] GUEST...

Examples
  overture tea alice

Guests
  GUEST                   a guest who gets tea

Serving
  --sugar N               lumps for the guests after it
  -m, --milk              with milk
  --cup CUP               what to pour it into
  --minutes-in-the-teapot N
                          how long it draws
  --kind KIND             green or black

Help
  -h, --help              print this help

Exit status
  0  served
)");
    EXPECT_THAT(tea.guests, IsEmpty());
  }
}

}  // namespace
}  // namespace overture::cli::command_line_test
