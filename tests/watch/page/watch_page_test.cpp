// SPDX-License-Identifier: Zlib
#include "watch/page/watch_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_up.hpp"

namespace overture::watch {
namespace {

using testing::HasSubstr;
using testing::Not;

made_up drawn_load() {
  made_up process;
  const std::uint32_t picture = process.name("/data/a<b>.png");
  process->main_ns = 10_ms;
  made_up_thread main = process.main();
  main.open(picture, 20_ms, 1_ms);
  main.read(picture, 21_ms, 1_ms, 0, 100);
  main.read(picture, 22_ms + 1_us, 1_ms, 100, 100);
  main.zone(zone_number::png_read_image, 30_ms, 20_ms);
  main.wait(event_kind::wait_mutex, 60_ms, 20_ms, 0xA);
  main.frame(100_ms);
  process.thread("loader", 5_ms).release(79_ms, 0xA);
  process.thread("late", 3000_ms);
  return process;
}

TEST(watch_picture, has_the_lanes_of_threads_that_began_before_its_end) {
  made_up process = drawn_load();
  const load_view view = view_of(process.done(4000_ms));
  const report_detail::timeline_picture picture = picture_of(view);
  ASSERT_EQ(picture.lanes.size(), 2u);
  EXPECT_EQ(picture.total_ns, 100_ms);
  EXPECT_EQ(picture.lanes[0].name, "main");
  EXPECT_EQ(picture.lanes[1].name, "loader");
  for (const auto& lane : picture.lanes) {
    EXPECT_EQ(lane.kind, report_detail::lane_kind::background) << "tells nothing of cores";
  }
  std::vector<std::string> names;
  for (const auto& span : picture.lanes[0].spans) names.push_back(picture.names[span.name].name);
  EXPECT_THAT(names, testing::ElementsAre("before main", "open", "read", "decode (png_read_image)",
                                          "a lock"))
      << "reads that follow each other are one span";
  EXPECT_EQ(picture.lanes[0].spans[1].file, 0u);
  EXPECT_EQ(picture.lanes[0].spans[3].file, no_subject);
  EXPECT_TRUE(picture.names[picture.lanes[0].spans[4].name].is_wait);
}

TEST(watch_picture, has_what_ended_a_wait) {
  made_up process = drawn_load();
  const load_view view = view_of(process.done(4000_ms));
  const report_detail::timeline_picture picture = picture_of(view);
  ASSERT_EQ(picture.wakes.size(), 1u);
  EXPECT_EQ(picture.wakes[0].to_lane, 0u);
  EXPECT_EQ(picture.wakes[0].from_lane, 1u);
  EXPECT_EQ(picture.wakes[0].from_ns, 79_ms);
}

TEST(watch_page, has_the_verdict_findings_and_tables) {
  made_up process = drawn_load();
  const load_view view = view_of(process.done(4000_ms));
  const std::string page = watch_page({view, findings_of(view)});
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_THAT(page, HasSubstr("The menu came after 100 ms."));
  EXPECT_THAT(page, HasSubstr("What to change"));
  EXPECT_THAT(page, HasSubstr("The main thread decodes and unpacks files itself."));
  EXPECT_THAT(page, HasSubstr("<h2 id=\"locks\">Locks</h2>"));
  EXPECT_THAT(page, HasSubstr("<h2 id=\"call-sites\">Call sites</h2>"));
  EXPECT_THAT(page, HasSubstr("<a class=\"moving\" href=\"#thread-parts\">Show it</a>"));
  EXPECT_THAT(page, Not(HasSubstr("a<b>"))) << "names are harmless";
}

TEST(watch_page, has_what_overture_would_give_and_a_note) {
  made_up process = drawn_load();
  const load_view view = view_of(process.done(4000_ms));
  EXPECT_THAT(watch_page({view}), Not(HasSubstr("What Overture would give")));
  const std::string page =
      watch_page({.view = view,
                  .gains = {{gain_kind::decoding_on_threads, 20_ms, "On threads.", "A <replay>."}},
                  .note = "The median of <2> runs."});
  EXPECT_THAT(page, HasSubstr("<b>20.0 ms</b> On threads. <span class=\"dim\">A &lt;replay"));
  EXPECT_THAT(page, HasSubstr("<p>The median of &lt;2&gt; runs.</p>"));
}

TEST(watch_page, says_where_it_was_made_and_what_is_left_out) {
  made_up process = drawn_load();
  for (std::uint64_t i = 0; i < 60; ++i) {
    process.main().wait(event_kind::wait_mutex, 81_ms + i * 100_us, 50_us, 0x100 + i);
  }
  const load_view view = view_of(process.done(4000_ms));
  EXPECT_THAT(watch_page({view}), HasSubstr("The first 50 of 61: --json lists all."));
  const std::string page = watch_page({.view = view, .conditions = {"2 processors.", "", "Warm."}});
  EXPECT_THAT(page, HasSubstr("<p class=\"dim\">2 processors.</p>\n<p class=\"dim\">Warm.</p>"));
}

TEST(watch_page, of_nothing_is_still_a_page) {
  made_up process;
  const load_view view = view_of(process.done(0));
  EXPECT_THAT(watch_page({view}), HasSubstr("</html>"));
}

}  // namespace
}  // namespace overture::watch
