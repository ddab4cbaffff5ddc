// SPDX-License-Identifier: Zlib
#include "terminal/display.hpp"

#include <gtest/gtest.h>

namespace overture::cli::display_test {
namespace {

TEST(printable_text, leaves_ordinary_text_unchanged) {
  EXPECT_EQ(printable("maps/rome.txt"), "maps/rome.txt");
  EXPECT_EQ(printable("音楽/テーマ.ogg"), "音楽/テーマ.ogg");
  EXPECT_EQ(printable("größe 🎵"), "größe 🎵");
}

TEST(printable_text, escapes_control_characters) {
  EXPECT_EQ(printable("\x1b[31mred"), "\\x1b[31mred");
  EXPECT_EQ(printable("a\nb\rc\td\x07"), "a\\x0ab\\x0dc\\x09d\\x07");
  EXPECT_EQ(printable("\x7f"), "\\x7f");
  EXPECT_EQ(printable(std::string_view("nul\0", 4)), "nul\\x00");
  EXPECT_EQ(printable("\u009b31m"), "\\u{9b}31m");  // one character that begins a sequence
}

TEST(printable_text, escapes_characters_that_reverse_the_text_direction) {
  EXPECT_EQ(printable("gpj.\u202Eexe"), "gpj.\\u{202e}exe");
  EXPECT_EQ(printable("a\u2066b"), "a\\u{2066}b");
}

TEST(printable_text, escapes_invalid_utf_8) {
  EXPECT_EQ(printable("caf\xe9"), "caf\\xe9");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");                    // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond the last
  EXPECT_EQ(printable("\xe3\x81"), "\\xe3\\x81");                    // cut short
}

TEST(display_width_of_text, counts_columns_not_bytes) {
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(display_width("größe"), 5u);
  EXPECT_EQ(display_width("音楽"), 4u);
  EXPECT_EQ(display_width("e\u0301"), 1u);
  EXPECT_EQ(display_width("🎵"), 2u);
}

TEST(shortened_text, keeps_what_fits) {
  EXPECT_EQ(shorten("abc", 3, true), "abc");
  EXPECT_EQ(shorten("", 0, true), "");
}

TEST(shortened_text, loses_its_middle_and_fits_the_columns) {
  EXPECT_EQ(shorten("textures/castle/wall.png", 13, true), "text…wall.png");
  EXPECT_EQ(shorten("textures/castle/wall.png", 15, false), "text...wall.png");
  const std::string wide = "音楽/テーマ/長い名前の曲.ogg";
  for (std::size_t columns = 0; columns < 30; ++columns) {
    EXPECT_LE(display_width(shorten(wide, columns, true)), columns);
    EXPECT_LE(display_width(shorten(wide, columns, false)), columns);
  }
}

}  // namespace
}  // namespace overture::cli::display_test
