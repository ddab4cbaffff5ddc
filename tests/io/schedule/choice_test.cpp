// SPDX-License-Identifier: Zlib
#include "io/schedule/choice.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "io/schedule/plain_choice.hpp"

namespace overture::io_detail::choice_test {
namespace {

constexpr std::uint64_t none = candidate::no_deadline;

struct row {
  const char* rule;
  std::vector<candidate> waiting;  // position, deadline, ticket, slot, level
  moment now;
  std::size_t next;
};

// The whole of the rule, line by line.
TEST(choice, follows_the_table) {
  const moment start{.head = {5, 100}, .danger_ns = 1000};
  const std::vector<row> table{
      {"alone", {{{1, 0}, none, 1, 0, 0}}, start, 0},
      {"the higher level", {{{5, 100}, none, 1, 0, 2}, {{9, 0}, none, 2, 1, 3}}, start, 1},
      {"danger before level", {{{5, 100}, none, 1, 0, 5}, {{9, 0}, 1000, 2, 1, 0}}, start, 1},
      {"a far deadline does not count",
       {{{9, 0}, 1001, 1, 0, 0}, {{5, 0}, none, 2, 1, 1}},
       start,
       1},
      {"the earlier deadline", {{{5, 100}, 900, 1, 0, 5}, {{9, 0}, 800, 2, 1, 0}}, start, 1},
      {"of equal deadlines the first to arrive",
       {{{5, 100}, 900, 2, 0, 5}, {{9, 0}, 900, 1, 1, 0}},
       start,
       1},
      {"the open file, onwards", {{{6, 0}, none, 1, 0, 3}, {{5, 900}, none, 2, 1, 3}}, start, 1},
      {"onwards before back", {{{5, 99}, none, 1, 0, 3}, {{5, 900}, none, 2, 1, 3}}, start, 1},
      {"the nearest onwards", {{{5, 900}, none, 1, 0, 3}, {{5, 100}, none, 2, 1, 3}}, start, 1},
      {"back in the file before others",
       {{{6, 0}, none, 1, 0, 3}, {{5, 7}, none, 2, 1, 3}},
       start,
       1},
      {"back from the beginning", {{{5, 70}, none, 1, 0, 3}, {{5, 7}, none, 2, 1, 3}}, start, 1},
      {"the next file", {{{9, 0}, none, 1, 0, 3}, {{6, 50}, none, 2, 1, 3}}, start, 1},
      {"files further on before those further back",
       {{{1, 0}, none, 1, 0, 3}, {{9, 0}, none, 2, 1, 3}},
       start,
       1},
      {"then from the first file", {{{4, 0}, none, 1, 0, 3}, {{1, 50}, none, 2, 1, 3}}, start, 1},
      {"of one position the first to arrive",
       {{{5, 100}, none, 2, 0, 3}, {{5, 100}, none, 1, 1, 3}},
       start,
       1},
  };
  for (const row& line : table) {
    EXPECT_EQ(test::plain_choice(line.waiting, line.now), line.next) << line.rule;
    std::vector<candidate> reversed(line.waiting.rbegin(), line.waiting.rend());
    EXPECT_EQ(test::plain_choice(reversed, line.now), line.waiting.size() - 1 - line.next)
        << line.rule;
  }
}

TEST(choice, is_a_strict_order) {
  const moment now{.head = {2, 2}, .danger_ns = 2};
  std::vector<candidate> all;
  std::uint64_t ticket = 0;
  for (std::uint64_t file = 1; file < 4; ++file) {
    for (std::uint64_t offset = 1; offset < 4; ++offset) {
      for (const std::uint64_t deadline : {std::uint64_t{1}, std::uint64_t{2}, none}) {
        for (std::uint8_t level = 0; level < 2; ++level) {
          all.push_back({{file, offset}, deadline, ++ticket, 0, level});
        }
      }
    }
  }
  for (const candidate& a : all) {
    EXPECT_FALSE(goes_before(a, a, now));
    for (const candidate& b : all) {
      if (&a != &b) {
        EXPECT_NE(goes_before(a, b, now), goes_before(b, a, now));
      }
      for (const candidate& c : all) {
        if (goes_before(a, b, now) && goes_before(b, c, now)) {
          EXPECT_TRUE(goes_before(a, c, now));
        }
      }
    }
  }
}

}  // namespace
}  // namespace overture::io_detail::choice_test
