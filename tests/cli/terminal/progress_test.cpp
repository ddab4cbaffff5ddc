// SPDX-License-Identifier: Zlib
#include "terminal/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "terminal/display.hpp"

namespace overture::cli::progress_test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t ms = 1'000'000;

load_progress at(double fraction, std::uint64_t files, std::uint64_t bytes) {
  load_progress progress;
  progress.files_done = files;
  progress.files_total = 1000;
  progress.bytes_done = bytes;
  progress.fraction = fraction;
  return progress;
}

TEST(progress_meter_rate, paints_after_100_ms_and_then_at_most_10_times_a_second) {
  progress_meter meter;
  EXPECT_FALSE(meter.due(99 * ms));
  EXPECT_TRUE(meter.due(100 * ms));
  meter.update(at(0.1, 100, 1000), 130 * ms);
  EXPECT_FALSE(meter.due(229 * ms));
  EXPECT_TRUE(meter.due(230 * ms));
}

TEST(progress_meter_rate, never_goes_back) {
  progress_meter meter;
  meter.update(at(0.5, 500, 5000), 100 * ms);
  const progress_view view = meter.update(at(0.4, 400, 4000), 200 * ms);
  EXPECT_EQ(view.fraction, 0.5);
  EXPECT_EQ(view.files_done, 500u);
  EXPECT_EQ(view.bytes_done, 5000u);
  EXPECT_GE(view.bytes_per_second, 0);
}

TEST(progress_meter_rate, estimates_the_time_left_from_the_rate) {
  progress_meter meter;
  EXPECT_FALSE(meter.update(at(0, 0, 0), 100 * ms).seconds_left);
  progress_view view;
  for (unsigned i = 2; i <= 50; ++i)
    view = meter.update(at(0.01 * i, 10 * i, 100 * i), i * 100 * ms);
  ASSERT_TRUE(view.seconds_left);
  EXPECT_NEAR(*view.seconds_left, 5, 0.7);  // half is left, and half took five seconds
  EXPECT_NEAR(view.bytes_per_second, 1000, 120);
}

TEST(progress_meter_rate, smooths_a_single_slow_sample) {
  progress_meter meter;
  progress_view view;
  for (unsigned i = 1; i <= 50; ++i)
    view = meter.update(at(0.01 * i, 10 * i, 100 * i), i * 100 * ms);
  const double before = *view.seconds_left;
  view = meter.update(at(0.5, 500, 5000), 5100 * ms);
  EXPECT_LT(*view.seconds_left, before * 1.2);
}

TEST(progress_meter_rate, survives_two_samples_at_the_same_time) {
  progress_meter meter;
  meter.update(at(0.1, 100, 1000), 100 * ms);
  const progress_view view = meter.update(at(0.2, 200, 2000), 100 * ms);
  EXPECT_EQ(view.files_done, 200u);
  EXPECT_GT(view.bytes_per_second, 0);
}

progress_view half_way() {
  progress_view view;
  view.fraction = 0.456;
  view.files_done = 456;
  view.files_total = 1234;
  view.bytes_done = 300u << 20;
  view.bytes_per_second = 100.0 * (1 << 20);
  view.seconds_left = 83;
  return view;
}

TEST(progress_text, shows_everything_where_there_is_room) {
  text_style style;
  style.width = 100;
  EXPECT_EQ(render(half_way(), style),
            "##################......................  45 %"
            "    456/1,234 files   300 MiB   100 MiB/s   1:23 left");
  style.unicode = true;
  EXPECT_THAT(render(half_way(), style), HasSubstr("██████████████████▏░░░"));
}

TEST(progress_text, leaves_the_last_column_free_at_every_width) {
  text_style style;
  for (style.width = 1; style.width < 200; ++style.width) {
    for (const bool unicode : {false, true}) {
      style.unicode = unicode;
      EXPECT_LE(display_width(render(half_way(), style)), style.width - 1);
    }
  }
}

TEST(progress_text, keeps_percentage_and_files_on_narrow_lines) {
  text_style style;
  style.width = 40;
  EXPECT_THAT(render(half_way(), style), HasSubstr(" 45 %    456/1,234 files"));
  EXPECT_THAT(render(half_way(), style), Not(HasSubstr("MiB")));
}

TEST(progress_text, keeps_its_width_during_the_load) {
  text_style style;
  style.width = 100;
  progress_view view = half_way();
  const std::size_t width = display_width(render(view, style));
  view.seconds_left.reset();
  view.files_done = 1;
  view.bytes_done = 1;
  view.fraction = 0;
  EXPECT_EQ(display_width(render(view, style)), width);
}

TEST(progress_text, says_100_percent_only_at_the_end) {
  text_style style;
  progress_view view = half_way();
  view.fraction = 0.9999;
  EXPECT_THAT(render(view, style), HasSubstr(" 99 %"));
  view.fraction = 1;
  EXPECT_THAT(render(view, style), HasSubstr("100 %"));
}

TEST(progress_bar, has_the_same_width_for_every_fraction) {
  for (int i = -1; i <= 101; ++i) {
    EXPECT_EQ(display_width(bar(i / 100.0, 17, true)), 17u);
    EXPECT_EQ(display_width(bar(i / 100.0, 17, false)), 17u);
  }
}

}  // namespace
}  // namespace overture::cli::progress_test
