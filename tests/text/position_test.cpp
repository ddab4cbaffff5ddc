// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include <string_view>

#include "overture/text/read.hpp"

namespace overture::position_test {
namespace {

void expect_position(std::string_view text, std::uint64_t offset, std::size_t line,
                     std::size_t column) {
  const text::position found = text::position_of(text, offset);
  EXPECT_EQ(found.line, line) << offset;
  EXPECT_EQ(found.column, column) << offset;
}

TEST(a_position, counts_lines_and_columns_from_one) {
  expect_position("ab\ncd\n", 0, 1, 1);
  expect_position("ab\ncd\n", 1, 1, 2);
  expect_position("ab\ncd\n", 2, 1, 3);
  expect_position("ab\ncd\n", 3, 2, 1);
  expect_position("ab\r\n\nc", 5, 3, 1);
}

TEST(a_position, counts_columns_in_bytes) {
  expect_position("\xC3\xA4x", 2, 1, 3);
}

TEST(a_position, beyond_the_text_is_its_end) {
  expect_position("ab\ncd", 100, 2, 3);
  expect_position("", 100, 1, 1);
}

}  // namespace
}  // namespace overture::position_test
