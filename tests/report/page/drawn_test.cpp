// SPDX-License-Identifier: Zlib
#include "report/page/drawn.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

namespace overture::report_detail::drawn_test {
namespace {

constexpr std::uint32_t decode = 0;
constexpr std::uint32_t unpack = 1;
constexpr std::uint32_t no_job = 2;

timeline_picture empty_picture(std::size_t lanes) {
  timeline_picture picture;
  picture.names = {{"decode", false}, {"unpack", false}, {"no job", true}};
  picture.lanes.resize(lanes);
  return picture;
}

void add(timeline_picture& picture, std::size_t lane, const picture_span& span) {
  picture.lanes[lane].spans.push_back(span);
  picture.total_ns = std::max(picture.total_ns, span.end_ns);
}

// "decode 0-10, 7 unpack 10-12"
std::string text_of(const timeline_picture& picture, const std::vector<drawn_span>& spans) {
  std::string text;
  for (const drawn_span& span : spans) {
    if (!text.empty()) text += ", ";
    if (span.count != 1) text += fmt::format("{} ", span.count);
    text += fmt::format("{} {}-{}", picture.names[span.name].name, span.begin_ns, span.end_ns);
  }
  return text;
}

// What each name took by itself, innermost spans first.
std::map<std::uint32_t, std::int64_t> own_times(const auto& spans) {
  std::map<std::uint32_t, std::int64_t> sums;
  std::vector<const picture_span*> open;
  for (const picture_span& span : spans) {
    const auto ns = static_cast<std::int64_t>(span.end_ns - span.begin_ns);
    while (!open.empty() && open.back()->end_ns <= span.begin_ns) open.pop_back();
    if (!open.empty()) sums[open.back()->name] -= ns;
    sums[span.name] += ns;
    open.push_back(&span);
  }
  return sums;
}

TEST(what_is_drawn, is_every_span_where_they_fit) {
  timeline_picture picture = empty_picture(1);
  add(picture, 0, {0, 10, decode, 3});
  add(picture, 0, {2, 4, unpack, 3});
  const drawn_timeline drawn = drawn_of(picture, {.spans = 2});
  EXPECT_EQ(drawn.resolution_ns, 0u);
  EXPECT_EQ(text_of(picture, drawn.lanes[0]), "decode 0-10, unpack 2-4");
}

TEST(what_is_drawn, sums_short_spans_by_name_between_long_ones) {
  timeline_picture picture = empty_picture(1);
  add(picture, 0, {0, 1000, decode, 1});
  for (std::uint64_t i = 0; i < 10; ++i) {
    add(picture, 0, {1100 + 10 * i, 1100 + 10 * i + 8, unpack, 5});
    add(picture, 0, {1102 + 10 * i, 1102 + 10 * i + 2, decode, i == 0 ? 5u : 6u});
  }
  add(picture, 0, {1200, 2000, no_job, no_subject});
  const drawn_timeline drawn = drawn_of(picture, {.spans = 4});
  EXPECT_EQ(drawn.spans, 22u);
  EXPECT_EQ(text_of(picture, drawn.lanes[0]),
            "decode 0-1000, 10 unpack 1100-1160, 10 decode 1160-1180, no job 1200-2000");
  EXPECT_EQ(drawn.lanes[0][1].file, 5u) << "all of one file";
  EXPECT_EQ(drawn.lanes[0][2].file, no_subject) << "of two files";
}

TEST(what_is_drawn, keeps_short_spans_inside_the_long_one_around_them) {
  timeline_picture picture = empty_picture(1);
  add(picture, 0, {0, 5000, decode, 1});
  for (std::uint64_t i = 0; i < 5; ++i) add(picture, 0, {4000 + i, 4001 + i, unpack, 1});
  for (std::uint64_t i = 0; i < 5; ++i) add(picture, 0, {5000 + i, 5001 + i, unpack, 1});
  const drawn_timeline drawn = drawn_of(picture, {.spans = 3});
  EXPECT_EQ(text_of(picture, drawn.lanes[0]),
            "decode 0-5000, 5 unpack 4000-4005, 5 unpack 5000-5005");
}

// Of any timeline: whatever is left out of the picture, the time is not.
TEST(what_is_drawn, has_the_time_of_each_name) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    timeline_picture picture = empty_picture(2);
    for (std::size_t lane = 0; lane < 2; ++lane) {
      std::uint64_t now = 0;
      for (int i = 0; i < 400; ++i) {
        const std::uint64_t length = std::uint64_t{1} << random() % 14;
        const std::uint64_t begin = now + random() % 50;
        add(picture, lane, {begin, begin + length, static_cast<std::uint32_t>(random() % 3), 1});
        if (length > 8) add(picture, lane, {begin + 1, begin + length / 2, unpack, 2});
        if (length > 8) add(picture, lane, {begin + length / 2, begin + length, decode, 2});
        now = begin + length;
      }
    }
    const drawn_timeline drawn = drawn_of(picture, {.spans = 200 + random() % 400});
    std::size_t count = 0;
    for (std::size_t lane = 0; lane < 2; ++lane) {
      EXPECT_EQ(own_times(drawn.lanes[lane]), own_times(picture.lanes[lane].spans));
      count += drawn.lanes[lane].size();
      for (std::size_t i = 1; i < drawn.lanes[lane].size(); ++i) {
        EXPECT_LE(drawn.lanes[lane][i - 1].begin_ns, drawn.lanes[lane][i].begin_ns);
      }
    }
    EXPECT_LE(count, 600u);
    EXPECT_GT(drawn.resolution_ns, 0u);
  }
}

TEST(what_is_drawn, sums_reads_that_are_too_many) {
  timeline_picture picture = empty_picture(0);
  picture.total_ns = 1'000'000;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    picture.reads.push_back({.begin_ns = i * 1000,
                             .served_ns = i * 1000 + 100,
                             .end_ns = i * 1000 + 400,
                             .file = 1,
                             .bytes = 10,
                             .is_cached = i % 2 == 0});
  }
  const drawn_timeline drawn = drawn_of(picture, {.reads = 100});
  EXPECT_LE(drawn.reads.size(), 100u);
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  for (const drawn_read& read : drawn.reads) {
    EXPECT_EQ(read.served_ns - read.begin_ns, 100u);
    EXPECT_EQ(read.end_ns - read.served_ns, 300u);
    count += read.count;
    bytes += read.bytes;
  }
  EXPECT_EQ(count, 1000u);
  EXPECT_EQ(bytes, 10'000u);
}

TEST(what_is_drawn, keeps_the_peaks_of_a_counter_and_its_last_value) {
  timeline_picture picture = empty_picture(0);
  picture.total_ns = 100'000;
  picture.counters.push_back({"bytes", {}});
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    picture.counters[0].values.push_back({i, i == 4321 ? 1000 : i % 7});
  }
  const drawn_timeline drawn = drawn_of(picture, {.counter_values = 100});
  const std::vector<counter_value>& values = drawn.counters[0].values;
  EXPECT_LE(values.size(), 101u);
  EXPECT_TRUE(std::ranges::any_of(values, [](const auto& each) { return each.value == 1000; }));
  EXPECT_EQ(values.back().at_ns, 99'999u);
  EXPECT_TRUE(std::ranges::is_sorted(values, {}, &counter_value::at_ns));
}

TEST(what_is_drawn, has_the_longest_delays_in_their_order) {
  timeline_picture picture = empty_picture(0);
  for (std::uint64_t i = 0; i < 10; ++i) {
    picture.delays.push_back({.begin_ns = i, .end_ns = i + (i * 7) % 10});
  }
  const drawn_timeline drawn = drawn_of(picture, {.delays = 3});
  ASSERT_EQ(drawn.delays.size(), 3u);
  EXPECT_EQ(drawn.delays[0].begin_ns, 1u);
  EXPECT_EQ(drawn.delays[1].begin_ns, 4u);
  EXPECT_EQ(drawn.delays[2].begin_ns, 7u);
}

TEST(what_is_drawn, has_the_wakes_of_waits_that_it_shows) {
  timeline_picture picture = empty_picture(2);
  add(picture, 0, {0, 10'000, no_job, no_subject});
  for (std::uint64_t i = 0; i < 10; ++i) {
    add(picture, 0, {10'000 + 10 * i, 10'005 + 10 * i, no_job, no_subject});
  }
  picture.wakes = {{.to_lane = 0, .to_ns = 10'000, .from_lane = 1},
                   {.to_lane = 0, .to_ns = 10'045, .from_lane = 1}};
  const drawn_timeline drawn = drawn_of(picture, {.spans = 3});
  ASSERT_EQ(drawn.wakes.size(), 1u);
  EXPECT_EQ(drawn.wakes[0].to_ns, 10'000u);
}

TEST(what_is_drawn, is_a_path_without_its_shortest_steps) {
  timeline_picture picture = empty_picture(1);
  for (std::uint64_t i = 0; i < 100; ++i) add(picture, 0, {10 * i, 10 * i + 10, decode, 1});
  for (std::uint64_t i = 0; i < 100; ++i) {
    picture.critical.push_back({0, 10 * i, 10 * i + 10, "decode", false, 1, path_step::turn::none});
  }
  const drawn_timeline drawn = drawn_of(picture, {.spans = 10});
  EXPECT_LT(drawn.critical.size(), 10u);
  EXPECT_EQ(drawn.critical.front().begin_ns, 0u);
  EXPECT_EQ(drawn.critical.back().end_ns, 1000u);
  for (std::size_t i = 1; i < drawn.critical.size(); ++i) {
    EXPECT_EQ(drawn.critical[i].begin_ns, drawn.critical[i - 1].end_ns);
  }
}

}  // namespace
}  // namespace overture::report_detail::drawn_test
