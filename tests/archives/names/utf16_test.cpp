// SPDX-License-Identifier: Zlib
#include "archives/names/utf16.hpp"

#include <gtest/gtest.h>

#include <string>

namespace overture::archives_detail::utf16_test {
namespace {

// Converts these units, in either byte order; "?" if they are refused.
std::string converted(const std::u16string& text, byte_order order) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char low = static_cast<char>(unit & 0xFF);
    const char high = static_cast<char>(unit >> 8);
    bytes += order == byte_order::little ? std::string{low, high} : std::string{high, low};
  }
  path_buffer room;
  std::size_t length = 0;
  const bool whole = utf8_of_utf16(std::as_bytes(std::span(bytes)), order, room, length);
  return whole ? std::string(room.data(), length) : "?";
}

TEST(utf16, becomes_utf8) {
  for (const byte_order order : {byte_order::little, byte_order::big}) {
    EXPECT_EQ(converted(u"", order), "");
    EXPECT_EQ(converted(u"maps/a.txt", order), "maps/a.txt");
    EXPECT_EQ(converted(u"\u007F\u0080\u07FF\u0800\uFFFF", order),
              "\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF");
    EXPECT_EQ(converted(u"\U00010000\U0010FFFF", order), "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF");
  }
}

TEST(utf16, with_half_a_pair_is_refused) {
  for (const std::u16string& half :
       {std::u16string{0xD800}, {0xDC00}, {0xD800, u'a'}, {u'a', 0xDBFF}, {0xDC00, 0xD800}}) {
    EXPECT_EQ(converted(half, byte_order::little), "?");
    EXPECT_EQ(converted(half, byte_order::big), "?");
  }
}

TEST(utf16, of_half_a_unit_or_too_long_is_refused) {
  path_buffer room;
  std::size_t length = 0;
  const std::byte odd[3] = {};
  EXPECT_FALSE(utf8_of_utf16(odd, byte_order::little, room, length));
  EXPECT_EQ(converted(std::u16string(limits::path_bytes_max + 1, u'a'), byte_order::big), "?");
}

}  // namespace
}  // namespace overture::archives_detail::utf16_test
