// SPDX-License-Identifier: Zlib
//
// An exported timeline as an importer sees it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "overture/trace/timeline.hpp"

namespace overture {

using nlohmann::json;

class string_sink final : public text_sink {
 public:
  result<void> write(std::string_view piece) override {
    text += piece;
    bytes_max = std::max(bytes_max, piece.size());
    return {};
  }
  std::string text;
  std::size_t bytes_max = 0;
};

struct span_of_time {
  std::int64_t begin_ns;
  std::int64_t end_ns;
};

inline std::int64_t to_ns(const json& microseconds) {
  return std::llround(microseconds.get<double>() * 1e3);
}

inline std::vector<json> events_of(const json& trace, const std::string& phase) {
  std::vector<json> events;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == phase) events.push_back(event);
  }
  return events;
}

// What importers require of every file.
inline void expect_importable(const json& trace) {
  std::map<std::int64_t, std::vector<span_of_time>> spans;
  for (const json& event : trace["traceEvents"]) {
    ASSERT_TRUE(event["name"].is_string()) << event;
    ASSERT_TRUE(event["pid"].is_number_unsigned()) << event;
    ASSERT_TRUE(event["tid"].is_number_unsigned()) << event;
    if (event["ph"] == "M") continue;
    ASSERT_TRUE(event["ts"].is_number_float()) << event;
    if (event["ph"] != "X") continue;
    ASSERT_TRUE(event["dur"].is_number_float()) << event;
    const std::int64_t begin = to_ns(event["ts"]);
    spans[event["tid"]].push_back({begin, begin + to_ns(event["dur"])});
  }
  for (const auto& [tid, track] : spans) {
    std::vector<span_of_time> open;
    std::int64_t last_begin = 0;
    for (const span_of_time& span : track) {
      ASSERT_LE(last_begin, span.begin_ns) << "out of order on tid " << tid;
      last_begin = span.begin_ns;
      while (!open.empty() && open.back().end_ns <= span.begin_ns) open.pop_back();
      if (!open.empty()) {
        ASSERT_LE(span.end_ns, open.back().end_ns) << "overlap on tid " << tid;
      }
      open.push_back(span);
    }
  }
}

inline json exported(const timeline& record, const chrome_json_options& options = {}) {
  string_sink sink;
  EXPECT_TRUE(write_chrome_json(record, sink, options));
  json trace = json::parse(sink.text);
  expect_importable(trace);
  return trace;
}

inline std::string name_of_track(const json& trace, std::int64_t tid) {
  for (const json& event : events_of(trace, "M")) {
    if (event["name"] == "thread_name" && event["tid"] == tid) return event["args"]["name"];
  }
  return "";
}

// Exports a timeline whose only thread recorded these events; times in ns since its start.
class recorded {
 public:
  explicit recorded(const std::vector<trace_event>& events, const timeline_config& config = {})
      : record_(config) {
    EXPECT_TRUE(record_.attach_thread("main"));
    for (trace_event event : events) {
      event.begin_ns += record_.start_ns();
      event.end_ns += record_.start_ns();
      record(event);
    }
    record_.detach_thread();
  }
  operator const timeline&() const { return record_; }

 private:
  timeline record_;
};

inline trace_event span_event(event_kind kind, std::uint64_t begin, std::uint64_t end,
                              const char* name = "work") {
  return {begin, end, name, 0, no_subject, kind};
}

}  // namespace overture
