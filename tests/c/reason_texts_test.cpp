// SPDX-License-Identifier: Zlib
#include "c/reason_texts.hpp"

#include <gtest/gtest.h>

#include <string>

namespace overture::reason_texts_test {
namespace {

using c::reason_texts;

TEST(reason_texts, are_copied_once) {
  tracking_allocator memory;
  {
    reason_texts texts(memory);
    std::string given = "line 3: no colour";
    const char* const kept = texts.keep(given.c_str(), "failed");
    EXPECT_NE(kept, given.c_str());
    given[5] = '4';
    EXPECT_STREQ(kept, "line 3: no colour");
    EXPECT_EQ(texts.keep("line 3: no colour", "failed"), kept);
    EXPECT_EQ(memory.usage(memory_tag::load).allocations, 1u);
  }
  EXPECT_EQ(memory.total().bytes, 0u);
}

TEST(reason_texts, are_cut_between_characters) {
  reason_texts texts(default_allocator());
  const std::string long_one = std::string(reason_texts::text_bytes_max - 1, 'x') + "\u00e4 more";
  EXPECT_EQ(texts.keep(long_one.c_str(), ""), std::string(reason_texts::text_bytes_max - 1, 'x'));
}

TEST(reason_texts, have_a_bound) {
  tracking_allocator memory;
  reason_texts texts(memory);
  for (std::size_t i = 0; i < reason_texts::texts_max; ++i) {
    const std::string text = std::to_string(i);
    ASSERT_EQ(texts.keep(text.c_str(), "failed"), text);
  }
  EXPECT_STREQ(texts.keep("one more", "failed"), "failed");
  EXPECT_STREQ(texts.keep("17", "failed"), "17");
  EXPECT_STREQ(texts.keep(nullptr, "failed"), "failed");
}

}  // namespace
}  // namespace overture::reason_texts_test
