// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "overture/base/limits.hpp"
#include "overture/base/version.hpp"
#include "overture/sync/wait_observer.hpp"
#include "overture/trace/timeline.hpp"
#include "support/failing_allocator.hpp"
#include "support/guards.hpp"
#include "trace/exported_json.hpp"

namespace overture::chrome_json_test {
namespace {

TEST(chrome_json, an_empty_timeline_is_a_whole_file) {
  const timeline record;
  const json trace = exported(record, {.process_name = "a game"});
  ASSERT_EQ(trace["traceEvents"].size(), 1u);
  EXPECT_EQ(trace["traceEvents"][0]["name"], "process_name");
  EXPECT_EQ(trace["traceEvents"][0]["args"]["name"], "a game");
  EXPECT_EQ(trace["displayTimeUnit"], "ms");
  EXPECT_EQ(trace["otherData"]["version"], version);
  EXPECT_EQ(trace["otherData"]["events_lost"], 0);
}

TEST(chrome_json, times_are_microseconds_with_three_decimals) {
  string_sink sink;
  const recorded record{{span_event(event_kind::zone, 1'002'003, 1'002'010),
                         span_event(event_kind::zone, 5'000'000, 7'250'000)}};
  ASSERT_TRUE(write_chrome_json(record, sink));
  EXPECT_NE(sink.text.find("\"ts\":1002.003,\"dur\":0.007,"), std::string::npos) << sink.text;
  EXPECT_NE(sink.text.find("\"ts\":5000.000,\"dur\":2250.000,"), std::string::npos) << sink.text;
}

TEST(chrome_json, an_event_from_before_the_timeline_stands_at_its_start) {
  timeline record;
  ASSERT_TRUE(record.attach_thread("main"));
  overture::record({1, record.start_ns() + 5000, "early", 0, no_subject, event_kind::zone});
  record.detach_thread();
  const json span = events_of(exported(record), "X").at(0);
  EXPECT_EQ(to_ns(span["ts"]), 0);
  EXPECT_EQ(to_ns(span["dur"]), 5000);
}

TEST(chrome_json, each_thread_has_a_lane_with_its_name) {
  timeline record;
  for (const char* name : {"main", "worker 1", "worker 2"}) {
    std::thread{[&] {
      ASSERT_TRUE(record.attach_thread(name));
      {
        zone work{"decode", {.subject = 3, .bytes = 77}};
      }
      record.detach_thread();
    }}.join();
  }
  const json trace = exported(record);
  EXPECT_EQ(name_of_track(trace, 1), "main");
  EXPECT_EQ(name_of_track(trace, 2), "worker 1");
  EXPECT_EQ(name_of_track(trace, 3), "worker 2");
  const auto spans = events_of(trace, "X");
  ASSERT_EQ(spans.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(spans[i]["tid"], i + 1);
    EXPECT_EQ(spans[i]["name"], "decode");
    EXPECT_EQ(spans[i]["cat"], "zone");
    EXPECT_EQ(spans[i]["args"]["bytes"], 77);
    EXPECT_EQ(spans[i]["args"]["subject"], 3);
  }
  std::vector<std::int64_t> order;
  for (const json& event : events_of(trace, "M")) {
    if (event["name"] == "thread_sort_index") order.push_back(event["args"]["sort_index"]);
  }
  EXPECT_EQ(order, (std::vector<std::int64_t>{1, 2, 3}));
}

TEST(chrome_json, a_thread_has_its_cpu_time_and_how_many_events_it_lost) {
  const recorded record{{span_event(event_kind::zone, 1, 2), span_event(event_kind::zone, 2, 3),
                         span_event(event_kind::zone, 3, 4)},
                        {.events_per_thread = 2}};
  const timeline& written = record;
  for (const json& event : events_of(exported(record), "M")) {
    if (event["name"] != "thread_name") continue;
    EXPECT_EQ(event["args"]["events_lost"], 1);
    EXPECT_EQ(to_ns(event["args"].value("cpu_us", 0.0)), written.track(0).cpu_ns());
  }
}

TEST(chrome_json, names_that_cannot_be_written_have_their_number) {
  const recorded record{{{1, 2, "read", 0, 7, event_kind::zone}}};
  const auto name_of = [](std::uint32_t, std::span<char> text) -> std::size_t {
    return std::string_view("caf\xe9").copy(text.data(), text.size());
  };
  function_ref<std::size_t(std::uint32_t, std::span<char>)> naming = name_of;
  const json span = events_of(exported(record, {.subject_name = &naming}), "X").at(0);
  EXPECT_EQ(span["args"]["subject"], "caf\uFFFD");
  EXPECT_EQ(span["args"]["number"], 7);
}

TEST(chrome_json, parents_stand_before_their_children_even_at_one_instant) {
  const recorded record{{
      span_event(event_kind::zone, 100, 100, "grandchild"),
      span_event(event_kind::zone, 100, 200, "child"),
      span_event(event_kind::wait, 100, 300, "twin inside"),
      span_event(event_kind::zone, 100, 300, "parent"),
  }};
  const auto spans = events_of(exported(record), "X");
  std::vector<std::string> names;
  for (const json& span : spans) names.push_back(span["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"parent", "twin inside", "child", "grandchild"}));
}

TEST(chrome_json, waits_lie_inside_the_zone_that_waited) {
  timeline record;
  ASSERT_TRUE(record.attach_thread("main"));
  {
    zone work{"decode"};
    observed_wait wait{wait_reasons::group};
  }
  record.detach_thread();
  const auto spans = events_of(exported(record), "X");
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0]["name"], "decode");
  EXPECT_EQ(spans[1]["name"], wait_reasons::group);
  EXPECT_EQ(spans[1]["cat"], "wait");
}

TEST(chrome_json, a_zone_that_outlasts_the_one_around_it_is_cut) {
  const recorded record{{span_event(event_kind::zone, 0, 100, "around"),
                         span_event(event_kind::zone, 50, 150, "outlasts"),
                         span_event(event_kind::zone, 120, 160, "after")}};
  const auto spans = events_of(exported(record), "X");
  ASSERT_EQ(spans.size(), 3u);
  EXPECT_EQ(to_ns(spans[1]["dur"]), 50);
  EXPECT_EQ(to_ns(spans[2]["dur"]), 40);
}

TEST(chrome_json, zones_that_touch_are_left_alone) {
  const recorded record{
      {span_event(event_kind::zone, 0, 100), span_event(event_kind::zone, 100, 150),
       span_event(event_kind::wait, 150, 150), span_event(event_kind::zone, 150, 170)}};
  const auto spans = events_of(exported(record), "X");
  ASSERT_EQ(spans.size(), 4u);
  EXPECT_EQ(to_ns(spans[0]["dur"]), 100);
  EXPECT_EQ(to_ns(spans[1]["dur"]), 50);
  EXPECT_EQ(to_ns(spans[2]["dur"]), 20);
  EXPECT_EQ(to_ns(spans[3]["dur"]), 0);
}

TEST(chrome_json, requests_are_packed_into_as_few_lanes_as_they_need) {
  const recorded record{{
      span_event(event_kind::request, 0, 100),
      span_event(event_kind::request, 10, 20),
      span_event(event_kind::request, 15, 30),
      span_event(event_kind::request, 20, 40),
      span_event(event_kind::request, 100, 110),
  }};
  const json trace = exported(record);
  std::vector<std::int64_t> tids;
  for (const json& span : events_of(trace, "X")) {
    EXPECT_EQ(span["cat"], "request");
    tids.push_back(span["tid"]);
  }
  EXPECT_EQ(tids, (std::vector<std::int64_t>{1000, 1001, 1002, 1001, 1000}));
  EXPECT_EQ(name_of_track(trace, 1000), "read 0");
  EXPECT_EQ(name_of_track(trace, 1002), "read 2");
  EXPECT_EQ(name_of_track(trace, 1003), "");
}

TEST(chrome_json, requests_of_several_threads_share_the_lanes) {
  timeline record;
  for (std::uint64_t i = 0; i < 2; ++i) {
    std::thread{[&] {
      ASSERT_TRUE(record.attach_thread("reader"));
      const std::uint64_t begin = record.start_ns() + 1000 * i;
      overture::record({begin, begin + 1000, "read", 0, no_subject, event_kind::request});
      record.detach_thread();
    }}.join();
  }
  for (const json& span : events_of(exported(record), "X")) EXPECT_EQ(span["tid"], 1000);
}

TEST(chrome_json, lanes_of_requests_never_meet_those_of_threads) {
  timeline record{{.events_per_thread = 1}};
  for (int i = 0; i < 1100; ++i) {
    ASSERT_TRUE(record.attach_thread("worker"));
    overture::record(
        {record.start_ns(), record.start_ns() + 5, "read", 0, no_subject, event_kind::request});
    record.detach_thread();
  }
  const json trace = exported(record);
  EXPECT_EQ(name_of_track(trace, 1100), "worker");
  EXPECT_EQ(name_of_track(trace, 1101), "read 0");
  EXPECT_EQ(name_of_track(trace, 2200), "read 1099");
}

TEST(chrome_json, counters_are_named_by_their_argument_and_come_in_order) {
  timeline record;
  ASSERT_TRUE(record.attach_thread("main"));
  overture::record(
      {record.start_ns() + 20, 0, "in_flight_bytes", 7, no_subject, event_kind::counter});
  overture::record(
      {record.start_ns() + 10, 0, "in_flight_bytes", UINT64_MAX, no_subject, event_kind::counter});
  record.detach_thread();
  const auto counters = events_of(exported(record), "C");
  ASSERT_EQ(counters.size(), 2u);
  EXPECT_EQ(to_ns(counters[0]["ts"]), 10);
  EXPECT_EQ(counters[0]["args"], (json{{"in_flight_bytes", UINT64_MAX}}));
  EXPECT_EQ(counters[1]["args"], (json{{"in_flight_bytes", 7}}));
}

TEST(chrome_json, marks_are_instants_of_their_thread) {
  timeline record;
  ASSERT_TRUE(record.attach_thread("main"));
  mark("first picture", 9);
  overture::record({.begin_ns = record.start_ns(),
                    .end_ns = record.start_ns(),
                    .name = "level ends",
                    .value = 7,
                    .kind = event_kind::instant});
  record.detach_thread();
  const auto marks = events_of(exported(record), "i");
  ASSERT_EQ(marks.size(), 2u);
  EXPECT_EQ(marks[0]["s"], "t");
  EXPECT_EQ(marks[0]["tid"], 1);
  EXPECT_EQ(marks[0]["args"], (json{{"value", 7}}));
  EXPECT_EQ(marks[1]["args"], (json{{"subject", 9}}));
}

TEST(chrome_json, nasty_names_are_escaped) {
  const std::string nasty =
      "a\"b\\c\n\t\x01/\x7f \xC3\xA9 \xF0\x9F\x8E\xB5 \xFF\xC0\xAF\xED\xA0\x80";
  const std::string shown =
      "a\"b\\c\n\t\x01/\x7f \xC3\xA9 \xF0\x9F\x8E\xB5 "
      "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD";
  timeline record;
  ASSERT_TRUE(record.attach_thread("\"\\\n\xFF"));
  count(nasty.c_str(), 1);
  mark(nasty.c_str(), 0);
  overture::record(
      {record.start_ns(), record.start_ns(), nasty.c_str(), 0, 0, event_kind::request});
  record.detach_thread();

  auto write_name = [&](std::uint32_t, std::span<char> text) {
    return nasty.copy(text.data(), text.size());
  };
  function_ref<std::size_t(std::uint32_t, std::span<char>)> subject_name{write_name};
  const json trace =
      exported(record, {.process_name = nasty.c_str(), .subject_name = &subject_name});
  EXPECT_EQ(trace["traceEvents"][0]["args"]["name"], shown);
  EXPECT_EQ(name_of_track(trace, 1), "\"\\\n\xEF\xBF\xBD");
  EXPECT_EQ(events_of(trace, "C").at(0)["args"].begin().key(), shown);
  EXPECT_EQ(events_of(trace, "i").at(0)["args"]["subject"], shown);
  EXPECT_EQ(events_of(trace, "X").at(0)["name"], shown);
}

TEST(chrome_json, subjects_have_names_or_are_numbers) {
  const recorded record{{{0, 1, "decode", 0, 1, event_kind::zone},
                         {2, 3, "decode", 5, 2, event_kind::zone},
                         {4, 5, "decode", 0, no_subject, event_kind::zone}}};
  auto write_name = [](std::uint32_t subject, std::span<char> text) {
    EXPECT_EQ(text.size(), limits::path_bytes_max);
    if (subject != 1) return std::size_t{0};
    std::fill(text.begin(), text.end(), 'x');
    return text.size() + 1;  // lies about its length
  };
  function_ref<std::size_t(std::uint32_t, std::span<char>)> subject_name{write_name};
  const auto spans = events_of(exported(record, {.subject_name = &subject_name}), "X");
  EXPECT_EQ(spans[0]["args"], (json{{"subject", std::string(limits::path_bytes_max, 'x')}}));
  EXPECT_EQ(spans[1]["args"], (json{{"subject", 2}, {"bytes", 5}}));
  EXPECT_EQ(spans[2]["args"], json::object());
}

TEST(chrome_json, lost_events_are_reported) {
  const recorded record{std::vector<trace_event>(20, span_event(event_kind::zone, 1, 2)),
                        {.events_per_thread = 16}};
  EXPECT_EQ(exported(record)["otherData"]["events_lost"], 4);
}

TEST(chrome_json, any_mixture_of_events_gives_an_importable_file) {
  std::mt19937 random{7};
  for (int round = 0; round < 50; ++round) {
    std::vector<trace_event> events;
    std::size_t own = 0;  // without those inside another
    for (int i = 0; i < 200; ++i) {
      const auto kind = static_cast<event_kind>(random() % event_kind_count);
      const bool is_detail = kind == event_kind::service || kind == event_kind::part;
      own += is_detail || kind == event_kind::wake ? 0 : 1;
      const std::uint64_t begin = random() % 300;
      events.push_back({begin, begin + random() % 50, "work", 1, no_subject, kind});
    }
    const json trace = exported(recorded{events});
    EXPECT_EQ(trace["traceEvents"].size() - events_of(trace, "M").size(), own);
    EXPECT_TRUE(events_of(trace, "s").empty()) << "no thread wakes itself";
    if (::testing::Test::HasFailure()) break;
  }
}

// Fails at one call, after which it must not be called again.
class failing_sink final : public text_sink {
 public:
  explicit failing_sink(int good_calls) : good_calls_(good_calls) {}
  result<void> write(std::string_view) override {
    ++calls;
    if (calls > good_calls_) return fail(errc::no_space, "the disk is full");
    return {};
  }
  int calls = 0;

 private:
  int good_calls_;
};

TEST(chrome_json, a_sink_that_fails_ends_the_export_with_its_error) {
  std::vector<trace_event> events;
  for (std::uint64_t i = 0; i < 300; ++i) {
    events.push_back(span_event(event_kind::zone, i, i + 1));
    events.push_back(span_event(event_kind::request, i, i + 1));
    events.push_back(span_event(event_kind::counter, i, i));
  }
  const recorded record{events};
  failing_sink counting{1000};
  ASSERT_TRUE(write_chrome_json(record, counting));
  ASSERT_GT(counting.calls, 5);
  for (int good_calls = 0; good_calls < counting.calls; ++good_calls) {
    failing_sink sink{good_calls};
    const result<void> done = write_chrome_json(record, sink);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, errc::no_space);
    EXPECT_EQ(sink.calls, good_calls + 1);
  }
}

TEST(chrome_json, refused_memory_is_an_error_wherever_it_happens) {
  std::vector<trace_event> events;
  for (std::uint64_t i = 0; i < 40; ++i) {
    events.push_back(span_event(event_kind::zone, i, 100 - i));
    events.push_back(span_event(event_kind::request, i, 50 + i));
    events.push_back(span_event(event_kind::request, 200, 300));
    events.push_back(span_event(event_kind::counter, i, i));
  }
  std::uint64_t refused = 1;  // call 0 is the track
  for (;; ++refused) {
    failing_allocator memory{refused};
    {
      const recorded record{events, {.memory = &memory}};
      string_sink sink;
      const result<void> done = write_chrome_json(record, sink);
      if (memory.refusals() == 0) break;
      ASSERT_FALSE(done);
      EXPECT_EQ(done.error().code, errc::out_of_memory);
    }
    EXPECT_EQ(memory.live_bytes(), 0);
  }
  EXPECT_GT(refused, 8u);
}

TEST(chrome_json, text_is_formatted_without_allocating) {
  std::vector<trace_event> events;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const auto kind = static_cast<event_kind>(i % event_kind_count);
    events.push_back({i, i + 3, "a \"name\"\n", i, static_cast<std::uint32_t>(i), kind});
  }
  // Memory for sorting comes from here, so that the guarded part need not call malloc.
  class arena final : public allocator {
   public:
    void* allocate(std::size_t bytes, std::size_t, memory_tag) noexcept override {
      const std::size_t begin = used_;
      used_ += (bytes + 63) / 64 * 64;
      return used_ <= sizeof memory_ ? memory_ + begin : nullptr;
    }
    void deallocate(void*, std::size_t, std::size_t, memory_tag) noexcept override {}

   private:
    std::size_t used_ = 0;
    alignas(64) std::byte memory_[1 << 20];
  };
  const auto memory = std::make_unique<arena>();
  const recorded record{events, {.memory = memory.get(), .events_per_thread = 1024}};
  failing_sink sink{1000};
  {
    const test::no_alloc_scope no_alloc;
    EXPECT_TRUE(write_chrome_json(record, sink));
  }
  EXPECT_GT(sink.calls, 1);
}

TEST(chrome_json, a_million_events_stream_through_a_small_buffer) {
  constexpr std::uint64_t rounds = 1u << 18;
  timeline record{{.events_per_thread = 4 * rounds}};
  ASSERT_TRUE(record.attach_thread("main"));
  for (std::uint64_t i = 0; i < rounds; ++i) {
    const std::uint64_t begin = record.start_ns() + 10 * i;
    overture::record({begin + 1, begin + 2, "no job", 0, no_subject, event_kind::wait});
    overture::record({begin, begin + 9, "decode", i, 5, event_kind::zone});
    overture::record({begin, begin + 25, "read", i, 5, event_kind::request});
    overture::record({begin, begin, "in_flight_bytes", i, no_subject, event_kind::counter});
  }
  record.detach_thread();

  class counting_sink final : public text_sink {
   public:
    result<void> write(std::string_view piece) override {
      for (std::size_t at = piece.find('\n'); at != piece.npos; at = piece.find('\n', at + 1))
        ++lines;
      bytes_max = std::max(bytes_max, piece.size());
      return {};
    }
    std::uint64_t lines = 0;
    std::size_t bytes_max = 0;
  } sink;
  ASSERT_TRUE(write_chrome_json(record, sink));
  // One line for each event, the brackets, the process, and two for each of 1 + 3 tracks.
  EXPECT_EQ(sink.lines, 4 * rounds + 2 + 1 + 8);
  EXPECT_LE(sink.bytes_max, 64u * 1024);
}

TEST(chrome_json, what_the_host_throws_ends_the_export_with_an_error) {
  class throwing_sink final : public text_sink {
   public:
    result<void> write(std::string_view) override { throw std::runtime_error("disk full"); }
  } throwing;
  timeline record;
  ASSERT_TRUE(record.attach_thread("main"));
  {
    const zone work("work", {.subject = 1});
  }
  record.detach_thread();
  EXPECT_EQ(write_chrome_json(record, throwing).error().code, errc::threw);

  string_sink sink;
  const auto no_name = [](std::uint32_t, std::span<char>) -> std::size_t { throw 3; };
  function_ref<std::size_t(std::uint32_t, std::span<char>)> naming = no_name;
  EXPECT_EQ(write_chrome_json(record, sink, {.subject_name = &naming}).error().code, errc::threw);
  EXPECT_EQ(record.track(0).for_each_event([](const trace_event&) { throw 3; }).error().code,
            errc::threw);
}

}  // namespace
}  // namespace overture::chrome_json_test
