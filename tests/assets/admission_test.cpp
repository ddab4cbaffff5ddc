// SPDX-License-Identifier: Zlib
//
// admit(): which asset may begin.
#include "assets/admission.hpp"

#include <gtest/gtest.h>

namespace overture::assets_detail::admission_test {
namespace {

using enum asset_priority;

TEST(admission, has_a_share_for_each_priority) {
  EXPECT_EQ(share_of(400, background), 100u);
  EXPECT_EQ(share_of(400, low), 200u);
  EXPECT_EQ(share_of(400, normal), 300u);
  EXPECT_EQ(share_of(400, high), 400u);
  EXPECT_EQ(share_of(1, normal), 0u);
  EXPECT_EQ(share_of(1, high), 1u);
  EXPECT_EQ(share_of(UINT64_MAX, high), UINT64_MAX);
}

struct row {
  asset_priority priority;
  std::uint64_t used;
  std::uint64_t bytes;
  priority_counts moving;  // background, low, normal, high
  admission expected;
};

constexpr priority_counts nothing{};

TEST(admission, is_by_room_and_otherwise_alone) {
  constexpr row table[] = {
      {normal, 0, 300, {0, 0, 9, 0}, admission::fits},
      {normal, 0, 301, {0, 0, 9, 0}, admission::refused},
      {normal, 0, 301, nothing, admission::alone},
      {normal, 299, 1, {0, 0, 9, 0}, admission::fits},
      {normal, 299, 2, {0, 0, 9, 0}, admission::refused},
      // It is not known how many bytes: as long as there is any room.
      {normal, 299, 0, {0, 0, 9, 0}, admission::fits},
      {normal, 300, 0, {0, 0, 9, 0}, admission::refused},
      {normal, 300, 0, nothing, admission::alone},
      // What is less urgent is in the way of nothing.
      {high, 300, 100, {0, 0, 9, 0}, admission::fits},
      {high, 300, 101, {9, 9, 9, 0}, admission::alone},
      {high, 300, 101, {0, 0, 0, 1}, admission::refused},
      {low, 200, 1, {9, 0, 0, 0}, admission::alone},
      {low, 200, 1, {0, 0, 1, 0}, admission::refused},
      {background, 100, 1, {0, 1, 0, 0}, admission::refused},
      {background, 100, 1, nothing, admission::alone},
      // Others have more than there is.
      {high, 1000, 1, {0, 0, 0, 1}, admission::refused},
      {high, 1000, 1, nothing, admission::alone},
      {normal, 0, UINT64_MAX, {0, 0, 1, 0}, admission::refused},
  };
  for (const row& each : table) {
    EXPECT_EQ(admit({400, each.used, each.moving}, each.priority, each.bytes), each.expected)
        << static_cast<int>(each.priority) << " " << each.used << " " << each.bytes;
  }
}

TEST(admission, of_a_budget_of_a_byte_is_one_at_a_time) {
  EXPECT_EQ(admit({1, 0, nothing}, normal, 5), admission::alone);
  EXPECT_EQ(admit({1, 5, {0, 0, 1, 0}}, normal, 5), admission::refused);
  EXPECT_EQ(admit({0, 0, nothing}, normal, 0), admission::alone);
}

TEST(admission, leaves_most_files_to_what_is_not_in_the_background) {
  EXPECT_TRUE(has_place(8, 1, background));
  EXPECT_FALSE(has_place(8, 2, background));
  EXPECT_TRUE(has_place(8, 7, low));
  EXPECT_FALSE(has_place(8, 8, high));
  EXPECT_TRUE(has_place(0, 0, normal));
  EXPECT_FALSE(has_place(1, 1, normal));
  EXPECT_TRUE(has_place(1, 0, background));
}

}  // namespace
}  // namespace overture::assets_detail::admission_test
