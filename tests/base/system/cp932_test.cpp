// SPDX-License-Identifier: Zlib
#include "base/system/cp932.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace overture::cp932_test {
namespace {

std::string decoded(std::string_view text) {
  std::array<char, 16> room{};
  std::size_t length = 0;
  if (!base_detail::decode_cp932(text, room, length)) return "fails";
  return {room.data(), length};
}

// The second byte of a character may be a backslash, as in the last one.
TEST(cp932, becomes_utf8) {
  EXPECT_EQ(decoded("\x83\x56\x8B\xF3"), "シ空");
  EXPECT_EQ(decoded("a\x83\x5C"), "aソ");
  EXPECT_EQ(decoded(""), "");
}

TEST(cp932, that_is_malformed_or_does_not_fit_fails) {
  EXPECT_EQ(decoded("\x83"), "fails");
  EXPECT_EQ(decoded("\x83\x20"), "fails");
  EXPECT_EQ(decoded(std::string(17, 'a')), "fails");
}

}  // namespace
}  // namespace overture::cp932_test
