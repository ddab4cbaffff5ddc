// SPDX-License-Identifier: Zlib
#include "base/utf8.hpp"

#include <gtest/gtest.h>

#include <string>

namespace overture {
using namespace base_detail;

namespace {

TEST(utf8, characters_of_each_length_are_accepted) {
  EXPECT_EQ(utf8_character_bytes("a"), 1u);
  EXPECT_EQ(utf8_character_bytes(std::string_view("\0", 1)), 1u);
  EXPECT_EQ(utf8_character_bytes("\x7F"), 1u);
  EXPECT_EQ(utf8_character_bytes("\xC2\x80"), 2u);
  EXPECT_EQ(utf8_character_bytes("\xDF\xBF"), 2u);
  EXPECT_EQ(utf8_character_bytes("\xE0\xA0\x80"), 3u);
  EXPECT_EQ(utf8_character_bytes("\xED\x9F\xBF"), 3u);
  EXPECT_EQ(utf8_character_bytes("\xEE\x80\x80"), 3u);
  EXPECT_EQ(utf8_character_bytes("\xF0\x90\x80\x80"), 4u);
  EXPECT_EQ(utf8_character_bytes("\xF4\x8F\xBF\xBF and more"), 4u);
}

TEST(utf8, what_is_no_character_has_no_length) {
  EXPECT_EQ(utf8_character_bytes(""), 0u);
  EXPECT_EQ(utf8_character_bytes("\x80"), 0u);              // a continuation
  EXPECT_EQ(utf8_character_bytes("\xC1\xBF"), 0u);          // overlong
  EXPECT_EQ(utf8_character_bytes("\xE0\x9F\xBF"), 0u);      // overlong
  EXPECT_EQ(utf8_character_bytes("\xF0\x8F\xBF\xBF"), 0u);  // overlong
  EXPECT_EQ(utf8_character_bytes("\xED\xA0\x80"), 0u);      // a surrogate
  EXPECT_EQ(utf8_character_bytes("\xF4\x90\x80\x80"), 0u);  // above U+10FFFF
  EXPECT_EQ(utf8_character_bytes("\xF5\x80\x80\x80"), 0u);
  EXPECT_EQ(utf8_character_bytes("\xFF"), 0u);
}

TEST(utf8, a_character_cut_short_has_no_length) {
  for (const std::string_view whole : {"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x8E\xB5"}) {
    EXPECT_EQ(utf8_character_bytes(whole), whole.size());
    for (std::size_t bytes = 1; bytes < whole.size(); ++bytes) {
      EXPECT_EQ(utf8_character_bytes(whole.substr(0, bytes)), 0u);
      EXPECT_EQ(utf8_character_bytes(std::string(whole.substr(0, bytes)) + "aaaa"), 0u);
    }
  }
}

}  // namespace
}  // namespace overture
