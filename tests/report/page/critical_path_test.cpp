// SPDX-License-Identifier: Zlib
#include "report/page/critical_path.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>

namespace overture::report_detail::critical_path_test {
namespace {

constexpr std::uint32_t decode = 0;
constexpr std::uint32_t unpack = 1;
constexpr std::uint32_t no_job = 2;

class critical_path : public ::testing::Test {
 protected:
  critical_path() {
    picture.names = {{"decode", false}, {"unpack", false}, {"no job", true}};
    picture.lanes.resize(2);
  }

  void span(std::size_t lane, std::uint64_t begin, std::uint64_t end, std::uint32_t name) {
    picture.lanes[lane].spans.push_back({begin, end, name, no_subject});
    picture.total_ns = std::max(picture.total_ns, end);
  }

  // "0 decode 0-10, 1 waiting no job 10-12!"; R is a read, "!" a turn that is recorded, "?" a
  // guess.
  [[nodiscard]] std::string path() const {
    std::string text;
    for (const path_step& step : report_detail::critical_path(picture)) {
      if (!text.empty()) text += ", ";
      text += step.lane == path_step::in_read ? "R" : std::to_string(step.lane);
      constexpr const char* turns[] = {"", "?", "!"};
      text += fmt::format(" {}{} {}-{}{}", step.is_wait ? "waiting " : "", step.name, step.begin_ns,
                          step.end_ns, turns[static_cast<int>(step.leads)]);
    }
    return text;
  }

  timeline_picture picture;
};

TEST_F(critical_path, of_one_thread_is_all_that_it_did) {
  span(0, 0, 10, unpack);
  span(0, 12, 30, decode);
  EXPECT_EQ(path(), "0 unpack 0-10, 0 other 10-12, 0 decode 12-30");
}

TEST_F(critical_path, goes_over_to_the_thread_that_ended_a_wait) {
  span(0, 0, 40, decode);
  span(1, 0, 5, unpack);
  span(1, 5, 42, no_job);
  span(1, 42, 50, decode);
  EXPECT_EQ(path(), "0 decode 0-40, 1 waiting no job 40-42?, 1 decode 42-50");
}

TEST_F(critical_path, goes_over_to_a_read_and_to_the_thread_that_asked_for_it) {
  span(0, 0, 10, unpack);
  span(0, 10, 60, no_job);
  span(0, 60, 70, decode);
  picture.reads.push_back({4, 20, 58, no_subject, 100, false});
  EXPECT_EQ(path(),
            "0 unpack 0-4, R waiting in the queue 4-20, R read from the disk 20-58, "
            "0 waiting no job 58-60?, 0 decode 60-70");
}

TEST_F(critical_path, goes_to_the_thread_that_woke_and_not_to_what_ended_last) {
  picture.lanes.resize(3);
  span(0, 0, 60, decode);
  span(1, 0, 30, unpack);
  span(1, 30, 42, no_job);
  span(1, 42, 100, decode);
  span(2, 0, 41, unpack);
  picture.wakes = {{1, 42, 0, 0, 38}};
  EXPECT_EQ(path(), "0 decode 0-38, 1 waiting no job 38-42!, 1 decode 42-100");
}

TEST_F(critical_path, goes_to_the_read_that_ended_the_wait) {
  span(0, 0, 10, unpack);
  span(0, 10, 60, no_job);
  span(0, 60, 70, decode);
  span(1, 0, 59, decode);
  picture.reads.push_back({4, 20, 50, no_subject, 100, false});
  picture.wakes = {{0, 60, picture_wake::by_read, 0, 50}};
  EXPECT_EQ(path(),
            "0 unpack 0-4, R waiting in the queue 4-20, R read from the disk 20-50, "
            "0 waiting no job 50-60!, 0 decode 60-70");
}

TEST_F(critical_path, a_wake_is_only_of_the_wait_that_it_ended) {
  span(0, 0, 10, decode);
  span(0, 10, 30, no_job);
  span(0, 30, 40, decode);
  span(0, 40, 50, no_job);
  span(0, 50, 60, decode);
  span(1, 0, 45, unpack);
  picture.wakes = {{0, 50, 1, 0, 45}};
  EXPECT_EQ(path(), "1 unpack 0-45, 0 waiting no job 45-50!, 0 decode 50-60");
  picture.wakes = {{0, 30, 1, 0, 20}};
  EXPECT_EQ(path(), "1 unpack 0-45, 0 waiting no job 45-50?, 0 decode 50-60");
}

TEST_F(critical_path, a_wait_in_parts_is_one) {
  span(0, 0, 60, decode);
  span(1, 0, 10, unpack);
  span(1, 10, 30, no_job);
  span(1, 30, 40, no_job);
  span(1, 40, 90, decode);
  picture.wakes = {{1, 40, 0, 0, 20}};
  EXPECT_EQ(path(), "0 decode 0-20, 1 waiting no job 20-40!, 1 decode 40-90");
}

TEST_F(critical_path, the_thread_that_asked_for_a_read_worked_on_its_file) {
  picture.lanes.resize(3);
  span(0, 0, 20, decode);
  span(1, 5, 20, unpack);
  picture.lanes[1].spans.back().file = 7;
  span(2, 0, 60, no_job);
  span(2, 60, 70, decode);
  picture.reads.push_back({20, 20, 58, 7, 100, false});
  picture.wakes = {{2, 60, picture_wake::by_read, 0, 58}};
  EXPECT_EQ(path(),
            "1 waiting not running yet 0-5, 1 unpack 5-20, R read from the disk 20-58, "
            "2 waiting no job 58-60!, 2 decode 60-70");
}

TEST_F(critical_path, of_a_read_that_unpacks_its_block_is_reading_and_unpacking) {
  span(0, 0, 4, unpack);
  span(0, 4, 60, no_job);
  span(0, 60, 70, decode);
  picture.reads.push_back({4, 20, 58, no_subject, 100, false, 0, 30});
  EXPECT_EQ(path(),
            "0 unpack 0-4, R waiting in the queue 4-20, R read from the disk 20-28, "
            "R unpack 28-58, 0 waiting no job 58-60?, 0 decode 60-70");
}

TEST_F(critical_path, goes_from_a_read_to_the_thread_that_unpacked_its_block) {
  span(0, 0, 4, decode);
  span(0, 4, 60, no_job);
  span(0, 60, 70, decode);
  span(1, 0, 50, unpack);
  picture.reads.push_back({4, 20, 58, no_subject, 0, false, 32, 0});
  EXPECT_EQ(path(),
            "1 unpack 0-50, R waiting solid block 50-52?, R read from the disk 52-58, "
            "0 waiting no job 58-60?, 0 decode 60-70");
}

TEST_F(critical_path, goes_past_reads_that_waited_for_a_block_in_front_of_another) {
  span(0, 0, 4, decode);
  span(0, 4, 70, no_job);
  span(0, 70, 80, decode);
  span(1, 0, 50, unpack);
  picture.reads.push_back({4, 20, 58, no_subject, 0, false, 32, 0});
  picture.reads.push_back({5, 60, 66, no_subject, 0, false});
  EXPECT_EQ(path(),
            "1 unpack 0-50, R waiting solid block 50-52?, R waiting in the queue 52-60, "
            "R read from the disk 60-66, 0 waiting no job 66-70?, 0 decode 70-80");
}

TEST_F(critical_path, stays_where_nothing_ended_a_wait) {
  span(0, 0, 10, decode);
  span(0, 10, 30, no_job);
  span(0, 30, 40, decode);
  EXPECT_EQ(path(), "0 decode 0-10, 0 waiting no job 10-30, 0 decode 30-40");
}

TEST_F(critical_path, takes_outer_work_for_what_is_in_it) {
  span(0, 0, 20, decode);
  span(0, 5, 10, unpack);
  EXPECT_EQ(path(), "0 decode 0-20");
}

TEST_F(critical_path, has_no_gap_and_no_overlap) {
  // Threads that wait for each other, at times that meet and times that do not.
  for (std::uint64_t i = 0; i < 200; ++i) {
    span(i % 2, i * 10, i * 10 + 5 + i % 7, i % 3 == 0 ? unpack : decode);
    span(i % 2, i * 10 + 5 + i % 7, i * 10 + 20, no_job);
    picture.reads.push_back({i * 10, i * 10 + 1, i * 10 + 1 + i % 13, no_subject, 1, false});
  }
  std::uint64_t now = 0;
  for (const path_step& step : report_detail::critical_path(picture)) {
    ASSERT_EQ(step.begin_ns, now);
    ASSERT_GT(step.end_ns, step.begin_ns);
    now = step.end_ns;
  }
  EXPECT_EQ(now, picture.total_ns);
}

TEST_F(critical_path, of_nothing_is_empty) {
  EXPECT_EQ(path(), "");
}

}  // namespace
}  // namespace overture::report_detail::critical_path_test
