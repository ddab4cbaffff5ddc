// SPDX-License-Identifier: Zlib
//
// What the export contains about requests.
#include "trace/exported_json.hpp"

namespace overture::chrome_requests_test {
namespace {

TEST(chrome_json, a_request_tells_how_it_was_served) {
  const recorded record{{
      span_event(event_kind::request, 1000, 9000),
      {.begin_ns = 4000,
       .end_ns = 9000,
       .name = "high",
       .value = 4096,
       .subject = 3,
       .kind = event_kind::service,
       .flags = request_flags::merged | request_flags::late},
      span_event(event_kind::request, 10'000, 11'000),
      span_event(event_kind::zone, 20'000, 21'000),
      {.name = "belongs to none", .kind = event_kind::service},
  }};
  const json trace = exported(record);
  const std::vector<json> spans = events_of(trace, "X");
  ASSERT_EQ(spans.size(), 3u);
  const json& told = spans[1]["args"];
  EXPECT_EQ(told["offset"], 4096);
  EXPECT_EQ(told["source"], 3);
  EXPECT_EQ(told["priority"], "high");
  EXPECT_EQ(to_ns(told["queue_us"]), 3000);
  EXPECT_EQ(to_ns(told["service_us"]), 5000);
  EXPECT_EQ(told["thread"], "main");
  EXPECT_EQ(told["merged"], true);
  EXPECT_EQ(told["late"], true);
  EXPECT_FALSE(told.contains("cancelled"));
  EXPECT_FALSE(spans[2]["args"].contains("offset"));
}

TEST(chrome_json, a_request_tells_what_was_done_for_its_solid_block) {
  const trace_event service{.begin_ns = 2000, .end_ns = 9000, .kind = event_kind::service};
  const recorded record{{
      span_event(event_kind::request, 1000, 9000),
      service,
      {.begin_ns = 6000, .end_ns = 9000, .name = "unpack", .value = 77, .kind = event_kind::part},
      {.begin_ns = 2000, .end_ns = 2500, .name = "solid block", .kind = event_kind::part},
      span_event(event_kind::request, 10'000, 11'000),
      service,
      span_event(event_kind::zone, 20'000, 21'000),
      {.begin_ns = 6000, .end_ns = 9000, .name = "unpack", .value = 77, .kind = event_kind::part},
  }};
  const json trace = exported(record);
  const std::vector<json> spans = events_of(trace, "X");
  ASSERT_EQ(spans.size(), 3u);
  const json& told = spans[1]["args"];
  EXPECT_EQ(told["packed_bytes"], 77);
  EXPECT_EQ(to_ns(told["unpack_us"]), 3000);
  EXPECT_EQ(to_ns(told["block_wait_us"]), 500);
  EXPECT_EQ(to_ns(told["service_us"]), 7000);
  EXPECT_FALSE(spans[2]["args"].contains("packed_bytes"));
  EXPECT_FALSE(spans[0]["args"].contains("packed_bytes")) << "it follows no request";
}

TEST(chrome_json, a_zone_tells_that_it_read_by_itself) {
  const recorded record{{{.begin_ns = 1000,
                          .end_ns = 2000,
                          .name = "read",
                          .kind = event_kind::zone,
                          .flags = request_flags::cached | request_flags::sync}}};
  const json trace = exported(record);
  const std::vector<json> spans = events_of(trace, "X");
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(spans[0]["args"], (json{{"cached", true}, {"sync", true}}));
}

TEST(chrome_json, a_read_names_the_mount_of_its_file_and_nothing_else_does) {
  const auto read_of = [](std::uint32_t subject) {
    trace_event event = span_event(event_kind::request, 1000, 9000);
    event.subject = subject;
    return event;
  };
  const trace_event service{.begin_ns = 4000, .end_ns = 9000, .kind = event_kind::service};
  const recorded record{{read_of(1),
                         service,
                         read_of(2),
                         service,
                         read_of(no_subject),
                         service,
                         {.begin_ns = 10'000,
                          .end_ns = 11'000,
                          .name = "read",
                          .subject = 1,
                          .kind = event_kind::zone,
                          .flags = request_flags::cached | request_flags::sync},
                         {20'000, 21'000, "decode", 0, 1, event_kind::zone}}};
  auto write_layer = [](std::uint32_t subject, std::span<char> text) {
    EXPECT_NE(subject, no_subject);
    return subject == 1 ? std::string_view("base.pk3").copy(text.data(), text.size()) : 0;
  };
  function_ref<std::size_t(std::uint32_t, std::span<char>)> layer{write_layer};
  const json trace = exported(record, {.subject_layer = &layer});
  int layers = 0;
  for (const json& span : events_of(trace, "X")) {
    const bool is_read = span["name"] != "decode" && span["args"].value("subject", 0) == 1;
    EXPECT_EQ(span["args"].contains("layer"), is_read) << span;
    if (!is_read) continue;
    EXPECT_EQ(span["args"]["layer"], "base.pk3");
    ++layers;
  }
  EXPECT_EQ(layers, 2);
}

}  // namespace
}  // namespace overture::chrome_requests_test
