// SPDX-License-Identifier: Zlib
#include "overture/io/simulated_disk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <random>
#include <vector>

namespace overture::simulated_disk_test {
namespace {

TEST(simulated_disk, takes_the_time_of_its_model) {
  simulated_disk disk({.seek_ns = 1'000'000, .latency_ns = 50, .bytes_per_second = 1'000'000'000});
  const source_id file = *disk.add_file(1'000);
  const std::uint64_t begin = disk.now_ns();
  std::byte room[100];
  std::span<std::byte> part(room);
  disk.start(0, file, 500, {&part, 1});
  const simulated_disk::ended end = disk.wait();
  EXPECT_EQ(end.outcome, 100);
  EXPECT_EQ(disk.now_ns() - begin, 500'000u + 100 + 50);
  EXPECT_TRUE(disk.holds(file, 500, room));
  EXPECT_FALSE(disk.holds(file, 501, room));
}

TEST(simulated_disk, serves_the_nearest_of_what_it_has) {
  simulated_disk disk({.depth = 3});
  const source_id file = *disk.add_file(1'000);
  std::byte room[1];
  std::span<std::byte> part(room);
  disk.start(0, file, 900, {&part, 1});
  disk.start(1, file, 10, {&part, 1});
  disk.start(2, file, 500, {&part, 1});
  EXPECT_EQ(disk.wait().slot, 1u);
  EXPECT_EQ(disk.wait().slot, 2u);
  EXPECT_EQ(disk.wait().slot, 0u);
}

TEST(simulated_disk, ends_where_it_was_truncated) {
  simulated_disk disk;
  const source_id file = *disk.add_file(1'000);
  disk.truncate(file, 30);
  std::byte room[100];
  std::span<std::byte> part(room);
  disk.start(0, file, 20, {&part, 1});
  EXPECT_EQ(disk.wait().outcome, 10);
  disk.start(0, file, 30, {&part, 1});
  EXPECT_EQ(disk.wait().outcome, 0);
}

TEST(simulated_disk, has_the_failures_that_were_asked_for) {
  simulated_disk disk({.short_reads = 10'000, .interrupted = 10'000, .broken = 10'000, .seed = 3});
  const source_id file = *disk.add_file(1'000);
  std::byte room[100];
  std::span<std::byte> part(room);
  int whole = 0, cut = 0, interrupted = 0, broken = 0;
  for (int i = 0; i < 1'000; ++i) {
    disk.start(0, file, 0, {&part, 1});
    const std::int64_t outcome = disk.wait().outcome;
    (outcome == 100 ? whole : outcome > 0 ? cut : outcome == -EINTR ? interrupted : broken) += 1;
    EXPECT_TRUE(outcome > 0 || outcome == -EINTR || outcome == -EIO);
  }
  EXPECT_GT(whole, 300);
  EXPECT_GT(cut, 50);
  EXPECT_GT(interrupted, 50);
  EXPECT_GT(broken, 50);
}

// The order of the disk, against the shortest way there is: once over it.
TEST(simulated_disk, the_queue_comes_within_five_percent_of_the_best) {
  for (const unsigned depth : {1u, 4u, 32u}) {
    const disk_model model{.latency_ns = 20'000, .depth = depth};
    constexpr std::size_t count = 2'000;
    std::vector<std::uint64_t> offsets(count);
    for (std::size_t i = 0; i < count; ++i) offsets[i] = i * 50'000;
    std::shuffle(offsets.begin(), offsets.end(), std::mt19937(7));
    const auto time_of = [&](bool by_queue) {
      simulated_disk disk(model);
      const source_id file = *disk.add_file(count * 50'000);
      read_queue reads(disk, {.disk = &disk});
      std::vector<std::byte> room(count * 64);
      std::vector<read_request> requests(count);
      std::vector<std::uint64_t> order = offsets;
      if (!by_queue) std::sort(order.begin(), order.end());
      for (std::size_t i = 0; i < count; ++i) {
        requests[i].source = file;
        requests[i].offset = order[i];
        requests[i].destination = std::span(room).subspan(i * 64, 64);
      }
      if (by_queue) {
        reads.submit(requests);
        reads.drain();
      } else {
        // One by one in the best order, as many at once as the disk takes.
        std::size_t begun = 0;
        std::size_t ended = 0;
        const auto begin = [&](unsigned slot) {
          std::span<std::byte> part = requests[begun].destination;
          disk.start(slot, file, requests[begun++].offset, {&part, 1});
        };
        for (unsigned slot = 0; slot < depth; ++slot) begin(slot);
        for (; ended < count; ++ended) {
          const unsigned slot = disk.wait().slot;
          if (begun < count) begin(slot);
        }
      }
      return static_cast<double>(disk.now_ns());
    };
    EXPECT_LE(time_of(true), 1.05 * time_of(false)) << "depth " << depth;
  }
}

}  // namespace
}  // namespace overture::simulated_disk_test
