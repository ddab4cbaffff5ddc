// SPDX-License-Identifier: Zlib
//
// Reads that begin when something else is done.
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "overture/io/read_queue.hpp"
#include "overture/io/simulated_disk.hpp"
#include "overture/jobs/thread_pool.hpp"
#include "overture/sync/barricade.hpp"
#include "overture/sync/countdown.hpp"
#include "support/failing_allocator.hpp"

namespace overture::read_gates_test {
namespace {

class read_gates : public testing::Test {
 protected:
  void submit_gated(read_queue& reads, barricade& door, std::uint64_t offset = 100) {
    request.source = file;
    request.offset = offset;
    request.destination = bytes;
    request.done = {[](void* count) { ++*static_cast<int*>(count); }, &completions};
    reads.submit({&request, 1}, &door);
  }
  [[nodiscard]] bool is_read() const {
    return request.outcome && completions == 1 && disk.holds(file, request.offset, bytes);
  }

  simulated_disk disk;
  source_id file = *disk.add_file(1 << 20);
  std::vector<std::byte> bytes{64};
  read_request request;
  int completions = 0;
};

TEST_F(read_gates, a_read_begins_when_its_barricade_is_lowered) {
  barricade door{barricade::raised};
  read_queue reads(disk, {.disk = &disk});
  submit_gated(reads, door);
  EXPECT_EQ(reads.poll(), 0u);
  EXPECT_EQ(reads.stats().gated, 1u);
  request.offset = 777;  // the thread that lowers it may fill it in
  door.lower();
  EXPECT_EQ(reads.stats().gated, 0u);
  reads.drain();
  EXPECT_TRUE(is_read());
}

TEST_F(read_gates, one_that_is_lowered_already_holds_nothing_up) {
  barricade door{barricade::lowered};
  read_queue reads(disk, {.disk = &disk});
  submit_gated(reads, door);
  reads.drain();
  EXPECT_TRUE(is_read());
}

TEST_F(read_gates, a_countdown_is_a_gate_too) {
  countdown left(2);
  read_queue reads(disk, {.disk = &disk});
  submit_gated(reads, left.at_zero());
  left.done();
  EXPECT_EQ(reads.poll(), 0u);
  left.done();
  reads.drain();
  EXPECT_TRUE(is_read());
}

TEST_F(read_gates, a_job_opens_it_while_the_queue_is_drained) {
  barricade door{barricade::raised};
  thread_pool pool({.workers = 1});
  job_group group(pool);
  read_queue reads(disk, {.run_by_host = true});  // a disk without time: any thread reads
  submit_gated(reads, door);
  group.run([&] {
    request.offset = 4'000;
    door.lower();
  });
  reads.drain();
  group.wait();
  EXPECT_TRUE(is_read());
}

TEST_F(read_gates, a_gated_read_is_cancelled_before_the_call_returns) {
  for (int way = 0; way < 3; ++way) {
    barricade door{barricade::raised};
    read_queue reads(disk, {.disk = &disk});
    completions = 0;
    request.tag = 5;
    submit_gated(reads, door);
    EXPECT_TRUE(reads.set_priority(request, read_priority::high));
    EXPECT_EQ(reads.set_tag_priority(~0ull, 5, read_priority::low), 1u);
    EXPECT_EQ(reads.set_tag_priority(~0ull, 6, read_priority::high), 0u);
    EXPECT_EQ(request.priority, read_priority::low);
    EXPECT_TRUE(reads.set_deadline(request, 99));
    if (way == 0) {
      EXPECT_TRUE(reads.cancel(request));
    }
    if (way == 1) {
      EXPECT_EQ(reads.cancel_tag(~0ull, 5), 1u);
    }
    if (way == 2) {
      EXPECT_EQ(reads.close_source(file), 1u);
    }
    EXPECT_EQ(completions, 1);
    ASSERT_FALSE(request.outcome);
    EXPECT_EQ(request.outcome.error().code, errc::cancelled);
    door.lower();
    reads.drain();
    EXPECT_EQ(completions, 1);
    EXPECT_EQ(reads.stats().reads, 0u);
  }
}

TEST_F(read_gates, the_queue_may_end_before_the_gate_opens) {
  barricade door{barricade::raised};
  failing_allocator memory(UINT64_MAX);
  {
    read_queue reads(disk, {.memory = &memory, .disk = &disk});
    submit_gated(reads, door);
  }
  ASSERT_EQ(completions, 1);
  EXPECT_EQ(request.outcome.error().code, errc::cancelled);
  EXPECT_GT(memory.live_bytes(), 0);
  door.lower();
  EXPECT_EQ(memory.live_bytes(), 0) << "the registration is freed too";
}

TEST_F(read_gates, refused_memory_fails_the_request_alone) {
  for (std::uint64_t refused = 1; refused < 30; ++refused) {
    barricade door{barricade::raised};
    failing_allocator memory(refused);
    completions = 0;
    read_queue reads(disk, {.memory = &memory, .disk = &disk});
    submit_gated(reads, door);
    door.lower();
    reads.drain();
    EXPECT_EQ(completions, reads.status() ? 1 : 0) << refused;
    if (!request.outcome) {
      EXPECT_EQ(request.outcome.error().code, errc::out_of_memory);
    }
  }
}

TEST_F(read_gates, many_gates_open_while_others_are_cancelled) {
  constexpr int rounds = 300;
  read_queue reads(disk, {.threads = 1});
  for (int i = 0; i < rounds; ++i) {
    barricade door{barricade::raised};
    countdown left(2);
    read_request both[2];
    std::byte room[2];
    for (int k = 0; k < 2; ++k) {
      both[k].source = file;
      both[k].offset = static_cast<std::uint64_t>(i) * 2 + static_cast<std::uint64_t>(k);
      both[k].destination = {&room[k], 1};
      both[k].tag = 9;
      both[k].counter = &left;
    }
    reads.submit(both, &door);
    std::thread opens([&] { door.lower(); });
    (void)reads.cancel_tag(~0ull, 9);
    reads.wait(left);
    opens.join();
  }
  reads.drain();
  EXPECT_EQ(reads.stats().requests, 2u * rounds);
}

TEST_F(read_gates, done_has_run_after_the_counter_and_its_group) {
  read_queue reads(disk, {.disk = &disk});
  for (const unsigned workers : {0u, 1u}) {
    thread_pool pool({.workers = workers});
    job_group group(pool);
    countdown posted(1);
    int runs = 0;
    read_request one{.source = file, .destination = bytes};
    one.on = &group;
    one.done = {[](void* count) { ++*static_cast<int*>(count); }, &runs};
    one.counter = &posted;
    reads.submit({&one, 1});
    reads.drain();
    posted.wait();
    group.wait();
    EXPECT_EQ(runs, 1) << workers;
  }
}

}  // namespace
}  // namespace overture::read_gates_test
