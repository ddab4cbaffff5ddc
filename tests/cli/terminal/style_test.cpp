// SPDX-License-Identifier: Zlib
#include "terminal/style.hpp"

#include <gtest/gtest.h>

namespace overture::cli::style_test {
namespace {

terminal_environment ordinary() {
  terminal_environment environment;
  environment.term = "xterm-256color";
  environment.locale = "C.UTF-8";
  return environment;
}

TEST(output_style, has_colours_on_a_terminal_only) {
  EXPECT_TRUE(choose_style(when::automatic, ordinary(), 80).colour);
  EXPECT_FALSE(choose_style(when::automatic, ordinary(), 0).colour);
  EXPECT_TRUE(choose_style(when::always, ordinary(), 0).colour);
  EXPECT_FALSE(choose_style(when::never, ordinary(), 80).colour);
}

TEST(output_style, has_no_colours_where_the_environment_forbids_them_unless_forced) {
  terminal_environment environment = ordinary();
  environment.no_color = "1";
  EXPECT_FALSE(choose_style(when::automatic, environment, 80).colour);
  EXPECT_TRUE(choose_style(when::always, environment, 80).colour);
  environment = ordinary();
  environment.term = "dumb";
  EXPECT_FALSE(choose_style(when::automatic, environment, 80).colour);
  environment.term = "";
  EXPECT_FALSE(choose_style(when::automatic, environment, 80).colour);
}

TEST(output_style, uses_block_characters_in_a_utf_8_locale_only) {
  terminal_environment environment = ordinary();
  EXPECT_TRUE(environment.utf8());
  environment.locale = "de_DE.utf8";
  EXPECT_TRUE(environment.utf8());
  environment.locale = "C";
  EXPECT_FALSE(environment.utf8());
  environment.locale = "";
  EXPECT_FALSE(environment.utf8());
}

TEST(output_style, writes_no_escape_codes_without_colour) {
  text_style style;
  EXPECT_EQ(style.bold("x") + style.red("y") + style.dim("z"), "xyz");
  style.colour = true;
  EXPECT_EQ(style.red("y"), "\x1b[31my\x1b[0m");
  EXPECT_EQ(style.red(""), "");
}

TEST(progress_choice, shows_progress_on_a_capable_terminal_only) {
  EXPECT_TRUE(choose_progress(when::automatic, ordinary(), true));
  EXPECT_FALSE(choose_progress(when::automatic, ordinary(), false));
  EXPECT_TRUE(choose_progress(when::always, ordinary(), false));
  EXPECT_FALSE(choose_progress(when::never, ordinary(), true));
  terminal_environment dumb = ordinary();
  dumb.term = "dumb";
  EXPECT_FALSE(choose_progress(when::automatic, dumb, true));
  EXPECT_TRUE(choose_progress(when::always, dumb, true));
}

}  // namespace
}  // namespace overture::cli::style_test
