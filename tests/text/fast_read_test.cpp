// SPDX-License-Identifier: Zlib
//
// The fast path reads text as it was written; the full reader takes over where it was edited. Both
// must read the same.
#include "overture/text/detail/fast_read.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "overture/text/read.hpp"
#include "overture/text/write.hpp"
#include "text/sample.hpp"

namespace overture::fast_read_test {
namespace {

using sample::unit;
using unit_script = text::script<"unit">;

template <class Style, class Units>
std::string written(const Units& units) {
  std::string buffer(text::bytes_max<Style>(units), '#');
  const auto done = text::write<Style>(units, std::span(buffer));
  EXPECT_TRUE(done);
  buffer.resize(done ? done->bytes : 0);
  return buffer;
}

template <class Style, class T>
std::vector<T> read(const std::string& text) {
  // In its own allocation, so that sanitizers see reads beyond the end.
  const std::vector<char> bytes(text.begin(), text.end());
  paged<T, 64> objects;
  const auto done = text::read<Style>(std::string_view(bytes.data(), bytes.size()), objects);
  EXPECT_TRUE(done) << text << (done ? "" : done.error().reason);
  std::vector<T> found;
  objects.for_each([&](const T& each) { found.push_back(each); });
  return found;
}

paged<unit, 64> some_units() {
  paged<unit, 64> units;
  (void)units.add(sample::knight());
  unit second;
  second.speed = -1.5e20f;
  second.upkeep = 2;
  second.at = {-0.0f, 1234567};
  (void)units.add(second);
  return units;
}

// Calls edit(text, i) for each byte outside of strings.
template <class Edit>
void at_each_place(const std::string& text, Edit edit) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
    if (!quoted) edit(i);
  }
}

TEST(a_script, reads_the_same_after_blanks_and_comments_are_added_anywhere) {
  const std::string text = written<unit_script>(some_units());
  const auto wanted = read<unit_script, unit>(text);
  at_each_place(text, [&](std::size_t i) {
    if (text[i] != ' ' && text[i] != '\n' && text[i] != '=') return;
    for (const char* const blank : {"  ", "\r\n", " # here\n "}) {
      std::string edited = text;
      edited.insert(i, blank);
      ASSERT_TRUE((read<unit_script, unit>(edited) == wanted)) << edited;
    }
  });
}

TEST(json, reads_the_same_after_white_space_is_added_anywhere) {
  const std::string text = written<text::json>(some_units());
  const auto wanted = read<text::json, unit>(text);
  at_each_place(text, [&](std::size_t i) {
    if (std::string_view("{}[],:").find(text[i]) == std::string_view::npos) return;
    std::string edited = text;
    edited.insert(i, " \t");
    ASSERT_TRUE((read<text::json, unit>(edited) == wanted)) << edited;
  });
}

TEST(a_script, keeps_its_other_fields_if_any_one_is_missing) {
  const std::string text = "unit={ enabled=yes gold=5 speed=1.5 owner=ff }\n";
  for (const std::string field : {" enabled=yes", " gold=5", " speed=1.5", " owner=ff"}) {
    std::string edited = text;
    edited.erase(edited.find(field), field.size());
    const unit found = read<unit_script, unit>(edited).at(0);
    EXPECT_EQ(found.enabled, field != " enabled=yes");
    EXPECT_EQ(found.gold, field == " gold=5" ? -1 : 5);
    EXPECT_EQ(found.speed, field == " speed=1.5" ? 0.0f : 1.5f);
    EXPECT_EQ(found.owner, field == " owner=ff" ? 0u : 255u);
    // The last of repeated fields counts.
    edited.insert(edited.find(" }"), field);
    EXPECT_EQ((read<unit_script, unit>(edited).at(0)), (read<unit_script, unit>(text).at(0)));
  }
}

TEST(a_script, is_refused_if_anything_is_attached_to_a_value) {
  for (const char* const field : {"gold=12abc=5", "gold=12.5", "speed=1.5x=5", "enabled=yesgold=5",
                                  "enabled=nox", "gold=5;"}) {
    for (const char* const before : {"unit={ ", "unit={  "}) {
      paged<unit, 64> units;
      EXPECT_FALSE(text::read<unit_script>(std::string(before) + field + " }\n", units)) << field;
    }
  }
}

struct numbers {
  std::int8_t a = 0;
  std::uint16_t b = 0;
  std::int32_t c = 0;
  std::uint64_t d = 0;
  float e = 0;
  double f = 0;
  friend bool operator==(const numbers&, const numbers&) = default;
};

TEST(numbers, of_all_lengths_are_read_back) {
  std::mt19937_64 random(11);
  paged<numbers, 64> all;
  std::vector<numbers> wanted;
  for (int i = 0; i < 20'000; ++i) {
    const auto bits = [&] { return random() >> random() % 64; };
    const auto digits = static_cast<double>(random() % 100'000'000);
    const double powers[] = {1, 10, 100, 1000, 1e4, 1e5, 1e6, -100};
    numbers each{static_cast<std::int8_t>(bits()),
                 static_cast<std::uint16_t>(bits()),
                 static_cast<std::int32_t>(bits()),
                 bits(),
                 static_cast<float>(digits / powers[random() % 8]),
                 digits / powers[random() % 8]};
    wanted.push_back(each);
    ASSERT_TRUE(all.add(each));
  }
  EXPECT_TRUE((read<text::rows<','>, numbers>(written<text::rows<','>>(all)) == wanted));
  EXPECT_TRUE((read<text::json, numbers>(written<text::json>(all)) == wanted));
  EXPECT_TRUE((read<text::script<>, numbers>(written<text::script<>>(all)) == wanted));
}

TEST(numbers, out_of_range_are_errors_whatever_follows) {
  for (const char* const row :
       {"128,0,0,0,0,0", "-129,0,0,0,0,0", "0,-1,0,0,0,0", "0,65536,0,0,0,0", "0,0,1.5,0,0,0",
        "0,0,1e3,0,0,0", "0,0,--1,0,0,0", "0,0,-,0,0,0", "0,0,0,0,1.5.5,0", "0,0,0,0,1.5x,0",
        "0,0,0,0,1.5e,0", "0,0,0,0,1.5\x80,0"}) {
    for (const char* const behind : {"", "\n", "\n0,0,0,0,0,0\n0,0,0,0,0,0\n"}) {
      paged<numbers, 64> found;
      EXPECT_FALSE(text::read<text::rows<','>>(std::string(row) + behind, found)) << row;
    }
  }
  const auto odd = read<text::rows<','>, numbers>("-128,65535,-0,007,1.5e3,-0.0\n").at(0);
  EXPECT_EQ(odd, (numbers{-128, 65535, 0, 7, 1500, 0}));
}

TEST(pages, read_the_same_in_any_rounding_mode) {
  paged<unit, 64> units;
  std::mt19937 random(3);
  for (int i = 0; i < 500; ++i) {
    unit each;
    each.speed = static_cast<float>(random() % 1'000'000) / 1000;
    each.at = {static_cast<float>(random()) * 0x1p-20f, -static_cast<double>(random()) / 128};
    (void)units.add(each);
  }
  const std::string text = written<unit_script>(units);
  const auto wanted = read<unit_script, unit>(text);
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    ASSERT_EQ(std::fesetround(mode), 0);
    const auto found = read<unit_script, unit>(text);
    ASSERT_EQ(std::fesetround(FE_TONEAREST), 0);
    EXPECT_TRUE(found == wanted);
  }
}

}  // namespace
}  // namespace overture::fast_read_test
