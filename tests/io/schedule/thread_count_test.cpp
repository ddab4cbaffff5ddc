// SPDX-License-Identifier: Zlib
#include "io/schedule/thread_count.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "overture/io/read_queue.hpp"
#include "overture/io/simulated_disk.hpp"

namespace overture::io_detail::thread_count_test {
namespace {

using step = thread_search::step;

// The whole of the rule, line by line.
TEST(thread_count, follows_the_table) {
  const thread_rules rules{.fewest = 2, .most = 16, .gain_percent = 10, .rest = 3};
  struct row {
    const char* rule;
    thread_search before;
    disk_answer answer;
    unsigned count;
    step looks;
  };
  const auto at = [](std::uint64_t rate) {
    return disk_answer{.work = rate, .time_ns = 1'000'000, .usual_read_ns = 1'000'000};
  };
  const disk_answer from_memory{.work = 9'000, .time_ns = 1'000'000, .usual_read_ns = 10'000};
  disk_answer idle = at(9'000);
  idle.kept_busy = false;
  const row table[] = {
      {"the first answer is the best so far", {2, 2}, at(100), 4, step::up},
      {"more threads bring more", {4, 2, 100, step::up}, at(150), 8, step::up},
      {"they do not", {8, 4, 150, step::up}, at(155), 4, step::rests},
      {"or bring less", {8, 4, 150, step::up}, at(90), 4, step::rests},
      {"there are no more", {16, 8, 150, step::up}, at(300), 16, step::rests},
      {"no request waits", {4, 2, 100, step::up}, idle, 4, step::up},
      {"it comes from memory", {16, 16, 100, step::rests}, from_memory, 2, step::up},
      {"rests", {4, 4, 150, step::rests, step::up, 0}, at(150), 4, step::rests},
      {"then looks down", {4, 4, 150, step::rests, step::up, 2}, at(150), 2, step::down},
      {"fewer do as well", {2, 4, 150, step::down, step::down}, at(149), 2, step::rests},
      {"fewer do not", {2, 4, 150, step::down, step::down}, at(100), 4, step::rests},
      {"and up the next time", {4, 4, 150, step::rests, step::down, 2}, at(150), 8, step::up},
  };
  for (const row& each : table) {
    const thread_search after = next_thread_count(rules, each.before, each.answer);
    EXPECT_EQ(after.count, each.count) << each.rule;
    EXPECT_EQ(after.looks, each.looks) << each.rule;
  }
}

TEST(thread_count, stays_within_its_bounds_whatever_the_disk_answers) {
  const thread_rules rules{.fewest = 3, .most = 11};
  thread_search now{3, 3};
  std::uint64_t chance = 7;
  for (int i = 0; i < 100'000; ++i) {
    chance = chance * 6364136223846793005u + 1442695040888963407u;
    now = next_thread_count(rules, now,
                            {.work = chance >> 40,
                             .time_ns = chance >> 30 & 0xffffff,
                             .usual_read_ns = chance >> 20 & 0xfffff,
                             .kept_busy = (chance >> 60 & 3) != 0});
    ASSERT_GE(now.count, rules.fewest);
    ASSERT_LE(now.count, rules.most);
  }
}

TEST(thread_count, is_eight_to_sixteen_unless_a_host_says_otherwise) {
  simulated_disk files;
  const auto at_first = [&](const read_queue_config& config) {
    return read_queue(files, config).stats().threads;
  };
  EXPECT_EQ(at_first({}), 8u);
  EXPECT_EQ(at_first({.threads = 3}), 3u);
  EXPECT_EQ(at_first({.threads_max = 6}), 6u);
  EXPECT_EQ(at_first({.threads_max = 12}), 8u);
  EXPECT_EQ(at_first({.threads = 2, .threads_max = 12}), 2u);
}

struct read_by {
  double seconds = 0;
  unsigned threads = 0;  // at the end
};

// Small files all over a disk, by a queue that may have so many reads in flight.
read_by read_files(const disk_model& model, unsigned fewest, unsigned most) {
  constexpr std::size_t count = 6'000;
  simulated_disk disk(model);
  std::vector<source_id> files;
  for (std::size_t i = 0; i < count; ++i) files.push_back(*disk.add_file(1 << 20));
  std::vector<std::byte> room(16 * 1024);
  std::vector<read_request> requests(count);
  for (std::size_t i = 0; i < count; ++i) {
    requests[i].source = files[i * 7919 % count];
    requests[i].destination = room;
  }
  read_queue reads(disk, {.threads = fewest, .threads_max = most, .disk = &disk});
  reads.submit(requests);
  reads.drain();
  return {static_cast<double>(disk.now_ns()) * 1e-9, reads.stats().threads};
}

// A disk without a head, made of memory: the more it is asked, the more it answers.
TEST(thread_count, becomes_all_there_are_for_a_disk_that_answers_many_at_once) {
  const disk_model model{
      .seek_ns = 0, .latency_ns = 500'000, .bytes_per_second = 3'000'000'000, .depth = 32};
  disk_model sixteen = model;
  sixteen.depth = 16;
  disk_model two = model;
  two.depth = 2;
  const read_by fixed = read_files(sixteen, 16, 0);
  const read_by found = read_files(model, 2, 16);
  EXPECT_EQ(found.threads, 16u);
  EXPECT_LT(found.seconds, fixed.seconds * 1.15);
  EXPECT_GT(read_files(two, 2, 0).seconds, fixed.seconds * 4);  // it matters
}

// One that takes four at once keeps others waiting in line.
TEST(thread_count, stops_where_more_reads_only_wait) {
  const disk_model model{
      .seek_ns = 0, .latency_ns = 500'000, .bytes_per_second = 3'000'000'000, .depth = 4};
  const read_by found = read_files(model, 1, 16);
  EXPECT_LE(found.threads, 8u);
  EXPECT_GE(found.threads, 4u);
  EXPECT_LT(found.seconds, read_files(model, 16, 0).seconds * 1.15);
}

}  // namespace
}  // namespace overture::io_detail::thread_count_test
