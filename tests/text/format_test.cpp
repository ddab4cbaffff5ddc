// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "overture/text/format.hpp"
#include "support/guards.hpp"

namespace overture::format_test {
namespace {

template <class... Args>
std::string formatted(const std::type_identity_t<text::format_string<Args...>>& format,
                      Args... args) {
  char text[512];
  const std::size_t bytes = text::format_to(text, format, args...);
  return {text, bytes};
}

TEST(format_to, writes_each_kind_of_value) {
  EXPECT_EQ(formatted("{} {} {}", 1, -2L, 3u), "1 -2 3");
  EXPECT_EQ(formatted("{} {}", true, false), "yes no");
  EXPECT_EQ(formatted("{} {}", 0.1f, 1e300), "0.1 1e+300");
  EXPECT_EQ(formatted("{:.2f}|{:.0f}|{:.6f}", 3.14159f, 2.5, 0.1), "3.14|2|0.100000");
  EXPECT_EQ(formatted("{:x} {:x}", 255u, static_cast<signed char>(-1)), "ff ff");
  EXPECT_EQ(formatted("<{}>", std::string_view("text")), "<text>");
  EXPECT_EQ(formatted("{}", std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
}

TEST(format_to, takes_literals_and_character_arrays) {
  char text[32];
  const char name[] = "knight";
  EXPECT_EQ(text::format_to(text, "{} {}", name, "x"), 8u);
  EXPECT_EQ(std::string(text, 8), "knight x");
}

TEST(format_to, writes_one_brace_for_two) {
  EXPECT_EQ(formatted("{{{}}} {{}}", 1), "{1} {}");
}

TEST(format_to, truncates_and_returns_the_full_length) {
  char text[8] = "#######";
  EXPECT_EQ(text::format_to(std::span(text, 3), "{}-{}", 12, 34), 5u);
  EXPECT_EQ(std::string(text, 4), "12-#");
}

TEST(format_to, does_not_touch_bytes_beyond_its_text) {
  char text[] = "########";
  EXPECT_EQ(text::format_to(text, "{}{}", 7, std::string_view("longer", 2)), 3u);
  EXPECT_STREQ(text, "7lo#####");
}

TEST(format_to, allocates_nothing_and_takes_no_lock) {
  char text[512];
  std::size_t bytes = 0;
  {
    const test::no_alloc_scope no_alloc;
    const test::no_lock_scope no_lock;
    bytes = text::format_to(text, "{} {:.2f} {}", 1, 1e300, "text");
  }
  EXPECT_EQ(bytes, 2u + 304 + 5);
}

}  // namespace
}  // namespace overture::format_test
