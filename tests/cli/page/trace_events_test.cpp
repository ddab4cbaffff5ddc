// SPDX-License-Identifier: Zlib
#include "page/trace_events.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

namespace overture::cli::trace_events_test {
namespace {

struct read_file {
  trace_reading reading;
  std::vector<trace_line> lines;
};

read_file read(const std::string& text) {
  std::istringstream file(text);
  read_file made;
  made.reading =
      read_trace_events(file, [&](const trace_line& line) { made.lines.push_back(line); });
  return made;
}

constexpr const char* one_span =
    R"({"name":"read","cat":"request","ph":"X","pid":1,"tid":1002,"ts":1.25,"dur":2.5,"args":
{"subject":"a.png","bytes":77,"layer":"base","queue_us":0.5,"cached":true,"sync":false}})";

TEST(trace_events, an_event_has_its_values) {
  const read_file made = read(std::string("{\"traceEvents\":[") + one_span + "]}");
  EXPECT_TRUE(made.reading.is_trace);
  EXPECT_TRUE(made.reading.is_whole);
  EXPECT_FALSE(made.reading.is_report);
  ASSERT_EQ(made.lines.size(), 1u);
  const trace_line& line = made.lines[0];
  EXPECT_EQ(line.phase, 'X');
  EXPECT_EQ(line.name, "read");
  EXPECT_EQ(line.category, "request");
  EXPECT_EQ(line.thread, 1002u);
  EXPECT_EQ(line.begin_ns, 1250u);
  EXPECT_EQ(line.duration_ns, 2500u);
  EXPECT_EQ(line.subject, "a.png");
  EXPECT_EQ(line.bytes, 77u);
  EXPECT_EQ(line.layer, "base");
  EXPECT_EQ(line.queue_ns, 500u);
  EXPECT_TRUE(line.is_cached);
  EXPECT_FALSE(line.is_sync);
}

TEST(trace_events, a_plain_list_is_a_trace_too) {
  const read_file made = read(std::string("[") + one_span + "," + one_span + "]");
  EXPECT_TRUE(made.reading.is_trace);
  EXPECT_EQ(made.lines.size(), 2u);
}

TEST(trace_events, the_list_may_stand_anywhere_in_the_file) {
  const read_file made = read(std::string(R"({"otherData":{"a":[{"ph":"X"}],"traceEvents":[1]},
"displayTimeUnit":"ms","traceEvents":[)") +
                              one_span + R"(],"stackFrames":[{"ph":"X"}]})");
  EXPECT_TRUE(made.reading.is_whole);
  ASSERT_EQ(made.lines.size(), 1u);
  EXPECT_EQ(made.lines[0].name, "read");
}

TEST(trace_events, what_was_cut_ends_with_the_last_whole_event) {
  const std::string text = std::string("{\"traceEvents\":[") + one_span + "," + one_span + "]}";
  std::uint64_t most = 0;
  for (std::size_t length = 0; length < text.size(); ++length) {
    const read_file made = read(text.substr(0, length));
    EXPECT_FALSE(made.reading.is_whole) << length;
    EXPECT_GE(made.reading.events, most) << length;
    most = made.reading.events;
  }
  EXPECT_EQ(most, 2u);
}

TEST(trace_events, odd_values_are_left_out) {
  const read_file made = read(R"({"traceEvents":[
{"ph":7,"ts":-1,"dur":1e300,"tid":-3,"args":[{"subject":"x"}]},
{"ph":"long","ts":"5","args":{"subject":{"subject":"deep"},"bytes":-1}},
{"ph":"C","name":"bytes","ts":0,"args":{"bytes":3}},
5, "x", [{"ph":"X"}], null, {}
]})");
  EXPECT_TRUE(made.reading.is_whole);
  ASSERT_EQ(made.lines.size(), 4u);
  EXPECT_EQ(made.lines[0].phase, 0);
  EXPECT_FALSE(made.lines[0].begin_ns);
  EXPECT_FALSE(made.lines[0].duration_ns);
  EXPECT_FALSE(made.lines[0].has_subject);
  EXPECT_EQ(made.lines[1].phase, '?');
  EXPECT_FALSE(made.lines[1].has_subject);
  EXPECT_EQ(made.lines[2].value, 3u);
  EXPECT_FALSE(made.lines[3].begin_ns);
}

TEST(trace_events, very_deep_files_end_like_others) {
  const read_file made = read("{\"traceEvents\":[" + std::string(1'000'000, '['));
  EXPECT_TRUE(made.reading.is_trace);
  EXPECT_FALSE(made.reading.is_whole);
}

TEST(trace_events, a_report_is_known_by_its_verdict) {
  EXPECT_TRUE(read(R"({"schema":1,"verdict_shares":[]})").reading.is_report);
  EXPECT_FALSE(read(R"({"schema":1,"other":{"verdict_shares":[]}})").reading.is_report);
}

}  // namespace
}  // namespace overture::cli::trace_events_test
