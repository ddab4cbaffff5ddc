// SPDX-License-Identifier: Zlib
//
// What is submitted before a thread of the queue looks.
#include <gtest/gtest.h>

#include <vector>

#include "overture/io/read_queue.hpp"
#include "overture/io/simulated_disk.hpp"
#include "overture/sync/barricade.hpp"

namespace overture::read_submit_test {
namespace {

class read_submit : public testing::Test {
 protected:
  read_request& add() {
    read_request& added = requests.emplace_back();
    added.source = file;
    added.done = {[](void* self) {
                    auto& mine = *static_cast<read_submit*>(self);
                    ++mine.completions;
                  },
                  this};
    return added;
  }

  simulated_disk disk;
  source_id file = *disk.add_file(1 << 20);
  std::vector<read_request> requests;
  std::size_t completions = 0;
};

// More spans than there is room for before the queue has to take them up.
TEST_F(read_submit, many_spans_before_a_thread_looks_keep_their_order) {
  constexpr std::size_t count = 300;
  read_queue reads(disk, {.merge_bytes_max = 0, .disk = &disk});
  for (std::size_t i = 0; i < count; ++i) add();
  for (read_request& each : requests) reads.submit({&each, 1});
  EXPECT_EQ(completions, 0u);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(reads.poll(), 1u);
    ASSERT_NE(requests[i].finished_ns, 0u) << "of equals, the first one first: " << i;
    ASSERT_TRUE(i + 1 == count || requests[i + 1].finished_ns == 0);
  }
  EXPECT_EQ(reads.stats().in_flight_max, count);
}

TEST_F(read_submit, whatever_depends_on_what_waits_knows_of_it) {
  read_queue reads(disk, {.merge_bytes_max = 0, .disk = &disk});
  for (int i = 0; i < 4; ++i) add().tag = 1u << i;
  reads.submit(std::span(requests).subspan(0, 1));
  EXPECT_TRUE(reads.cancel(requests[0]));
  reads.submit(std::span(requests).subspan(1, 1));
  EXPECT_EQ(reads.cancel_tag(~0ull, 2), 1u);
  reads.submit(std::span(requests).subspan(2, 1));
  EXPECT_TRUE(reads.set_priority(requests[2], read_priority::high));
  EXPECT_EQ(reads.stats().queued[static_cast<std::size_t>(read_priority::high)], 1u);
  reads.submit(std::span(requests).subspan(3, 1));
  EXPECT_EQ(reads.close_source(file), 2u);
  EXPECT_EQ(completions, 4u);
  EXPECT_EQ(reads.stats().requests, 4u);
  EXPECT_EQ(reads.stats().cancelled, 4u);
}

TEST_F(read_submit, what_is_submitted_before_the_first_frame_counts_there) {
  read_queue reads(disk, {.disk = &disk});
  add();
  add();
  reads.submit(std::span(requests).first(1));
  reads.mark_first_frame();
  reads.submit(std::span(requests).last(1));
  EXPECT_EQ(reads.stats().before_first_frame, 1u);
  reads.drain();
  EXPECT_EQ(completions, 2u);
}

}  // namespace
}  // namespace overture::read_submit_test
