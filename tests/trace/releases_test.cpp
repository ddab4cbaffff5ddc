// SPDX-License-Identifier: Zlib
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "overture/trace/timeline.hpp"
#include "support/failing_allocator.hpp"
#include "trace/exported_json.hpp"

namespace overture::releases_test {
namespace {

constexpr std::uint32_t level = 1;
constexpr std::uint32_t wall = 2;

trace_event zone_of(std::uint32_t subject, std::uint64_t begin, std::uint64_t end) {
  return {begin, end, "work", 0, subject, event_kind::zone};
}
trace_event delay_of(std::uint32_t subject, std::uint64_t begin, std::uint64_t end,
                     std::uint64_t ended_by = no_subject) {
  const std::uint64_t value = ended_by == no_subject ? 0 : ended_by + 1;
  return {begin, end, "a need", value, subject, event_kind::delay};
}

// A thread records these events; times in ns since the start.
void on_thread(timeline& record, const std::vector<trace_event>& events) {
  std::thread([&] {
    ASSERT_TRUE(record.attach_thread("thread"));
    for (trace_event event : events) {
      event.begin_ns += record.start_ns();
      event.end_ns += record.start_ns();
      overture::record(event);
    }
    record.detach_thread();
  }).join();
}

// "0@38 -> 1@42", for each.
std::string releases(const timeline& record) {
  std::string text;
  EXPECT_TRUE(for_each_release(record, [&](const release_flow& flow) {
    if (!text.empty()) text += ", ";
    text += std::to_string(flow.from_track) + "@" +
            std::to_string(flow.from_ns - record.start_ns()) + " -> " +
            std::to_string(flow.to_track) + "@" + std::to_string(flow.to_ns - record.start_ns());
  }));
  return text;
}

TEST(releases, a_delay_joins_the_last_zone_of_what_ended_it_to_the_next_of_its_own) {
  timeline record;
  on_thread(record, {zone_of(wall, 5, 10), zone_of(wall, 20, 30), delay_of(level, 8, 31, wall),
                     zone_of(wall, 40, 50)});
  on_thread(record, {zone_of(level, 1, 7), zone_of(level, 35, 36), zone_of(level, 60, 61)});
  EXPECT_EQ(releases(record), "0@30 -> 1@35");
}

TEST(releases, one_that_nothing_ended_or_whose_zones_are_missing_is_not_visited) {
  timeline record;
  on_thread(record, {zone_of(wall, 20, 30), zone_of(level, 50, 60), delay_of(level, 8, 31)});
  EXPECT_EQ(releases(record), "") << "not known what ended it";
  on_thread(record, {delay_of(level, 8, 19, wall)});
  EXPECT_EQ(releases(record), "") << "the zone of the need ended later";
  on_thread(record, {delay_of(level, 8, 55, wall)});
  EXPECT_EQ(releases(record), "") << "it did nothing afterwards";
}

TEST(releases, a_visitor_may_throw_and_memory_may_be_refused) {
  failing_allocator memory(UINT64_MAX);
  timeline record{{.memory = &memory}};
  on_thread(record, {zone_of(wall, 1, 2), delay_of(level, 1, 3, wall), zone_of(level, 4, 5)});
  EXPECT_EQ(for_each_release(record, [](const release_flow&) { throw std::runtime_error("no"); })
                .error()
                .code,
            errc::threw);
  memory.refuse_from_now();
  EXPECT_EQ(for_each_release(record, [](const release_flow&) {}).error().code, errc::out_of_memory);
}

TEST(releases, are_exported_as_flows_and_delays_on_tracks_of_their_own) {
  timeline record;
  on_thread(record, {zone_of(wall, 2000, 3000), delay_of(level, 800, 3100, wall),
                     zone_of(level, 3500, 3600)});
  const json trace = exported(record);
  for (const json& span : events_of(trace, "X")) {
    if (span["cat"] != "delay") continue;
    EXPECT_EQ(name_of_track(trace, span["tid"]), "wait 0");
    EXPECT_EQ(span["name"], "a need");
    EXPECT_EQ(span["args"], (json{{"subject", level}, {"ended_by", wall}}));
  }
  const std::vector<json> from = events_of(trace, "s");
  const std::vector<json> to = events_of(trace, "f");
  ASSERT_EQ(from.size(), 1u);
  ASSERT_EQ(to.size(), 1u);
  EXPECT_EQ(from[0]["name"], "need");
  EXPECT_EQ(from[0]["id"], to[0]["id"]);
  EXPECT_EQ(to_ns(from[0]["ts"]), 2999) << "inside the zone of what was needed";
  EXPECT_EQ(to_ns(to[0]["ts"]), 3499) << "what begins next is the zone that was let go on";
}

}  // namespace
}  // namespace overture::releases_test
