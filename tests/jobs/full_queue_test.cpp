// SPDX-License-Identifier: Zlib
//
// What becomes of jobs that a pool has no room for.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "jobs/pool_test_support.hpp"
#include "jobs/queues/job_slab.hpp"
#include "overture/jobs/job_batch.hpp"
#include "overture/jobs/job_graph.hpp"
#include "overture/sync/countdown.hpp"
#include "overture/sync/future.hpp"

namespace overture::full_queue_test {
namespace {

TEST(more_jobs_than_a_pool_may_queue, run_on_the_thread_that_submits) {
  tracking_allocator memory;
  thread_pool pool{{.queued_max = 1000, .memory = &memory}};
  std::uint64_t runs = 0;
  job_group group{pool};
  const auto add = [&runs] { ++runs; };
  for (int i = 0; i < 3000; ++i) group.run(add);
  EXPECT_GE(runs, 3000u - 1024u);
  EXPECT_LT(runs, 3000u - 512u) << "those within the limit are queued";
  EXPECT_EQ(group.pending(), 3000u - runs) << "those that have run are over";
  {
    job_batch batch(pool, &group);
    for (int i = 0; i < 1000; ++i) batch.add(add);
  }
  pool.submit_main(add, &group);
  group.wait();
  EXPECT_EQ(runs, 4001u);
  EXPECT_EQ(pool.stats().jobs_run, 4001u);
  EXPECT_LE(memory.usage(memory_tag::jobs).peak_bytes, 1024u * 128 + (1u << 17));
}

TEST(more_jobs_than_a_pool_may_queue, leave_room_for_those_of_the_main_thread) {
  constexpr int room = 64;
  thread_pool pool{{.queued_max = 1}};
  int runs = 0;
  job_group queued{pool};
  while (runs == 0) queued.run([&runs] { ++runs; });
  int main_runs = 0;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < room; ++i) pool.submit_main([&main_runs] { ++main_runs; });
    EXPECT_EQ(main_runs, round * (room + 1));
    pool.submit_main([&main_runs] { ++main_runs; });
    EXPECT_EQ(main_runs, round * (room + 1) + 1) << "at once";
    EXPECT_EQ(pool.pump(1'000'000'000), std::size_t{room});
  }
  EXPECT_EQ(runs, 1) << "the queue is as full as before";
  queued.wait();
}

TEST(more_jobs_than_a_pool_may_queue, are_dropped_if_they_are_cancelled) {
  thread_pool pool{{.queued_max = 1}};
  int runs = 0;
  const auto add = [&runs] { ++runs; };
  job_group queued{pool};
  while (runs == 0) queued.run(add);
  const std::uint64_t run_before = pool.stats().jobs_run;
  cancellation token;
  token.cancel();
  pool.submit(add, nullptr, {.token = &token});
  job_group cancelled{pool};
  cancelled.cancel();
  cancelled.run(add);
  EXPECT_EQ(cancelled.pending(), 0u);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(pool.stats().jobs_dropped, 2u);
  EXPECT_EQ(pool.stats().jobs_run, run_before);
  queued.wait();
}

TEST(a_queue_that_was_full, takes_jobs_again_whoever_made_room) {
  thread_pool pool{{.queued_max = 512}};
  int runs = 0;
  const auto add = [&runs] { ++runs; };
  job_group others{pool};
  job_group group{pool};
  for (int i = 0; i < 448; ++i) others.run(add);
  for (int i = 0; i < 64; ++i) group.run(add);
  EXPECT_EQ(runs, 0);
  for (int i = 0; i < 3; ++i) group.run(add);
  EXPECT_EQ(runs, 3) << "it is full";
  // This thread keeps the records of the jobs that it runs while it waits.
  group.wait();
  EXPECT_EQ(runs, 67);
  for (int i = 0; i < 64; ++i) group.run(add);
  EXPECT_EQ(runs, 67);
  for (int i = 0; i < 3; ++i) group.run(add);
  EXPECT_EQ(runs, 70) << "it is full again";
  // Here the records go back to where all may take them from.
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(pool.try_help());
  EXPECT_EQ(runs, 73);
  for (int i = 0; i < 3; ++i) group.run(add);
  EXPECT_EQ(runs, 73);
  group.run(add);
  EXPECT_EQ(runs, 74) << "it is full once more";
  others.wait();
  group.wait();
  EXPECT_EQ(runs, 448 + 64 + 3 + 64 + 3 + 4);
}

// Returns how many of them run on the thread that submits them.
int run(thread_pool& pool, int count) {
  countdown ended{static_cast<std::uint32_t>(count)};
  const std::thread::id submitter = std::this_thread::get_id();
  std::atomic<int> runs_here{0};
  for (int i = 0; i < count; ++i) {
    pool.submit([&ended, &runs_here, submitter] {
      if (std::this_thread::get_id() == submitter) ++runs_here;
      ended.done();
    });
  }
  ended.wait();
  return runs_here;
}

TEST(a_queue_that_was_full, has_room_as_soon_as_the_workers_sleep) {
  thread_pool pool{{.workers = 2, .queued_max = 512}};
  for (int round = 0; round < 64; ++round) {
    {
      // So that the other one keeps the records of all of them.
      const test::busy_worker busy{pool};
      (void)run(pool, 250);
    }
    test::await_parked(pool);
    ASSERT_EQ(run(pool, 65), 0) << "round " << round;
    test::await_parked(pool);
  }
}

TEST(a_queue_that_was_full, has_room_when_a_thread_has_waited) {
  thread_pool pool{{.queued_max = 512}};
  std::thread([&pool] {
    job_group group{pool};
    for (int i = 0; i < 448; ++i) group.run([] {});
  }).join();
  int runs = 0;
  job_group group{pool};
  for (int i = 0; i < 448; ++i) group.run([&runs] { ++runs; });
  EXPECT_EQ(runs, 0) << "run by this thread";
}

TEST(a_full_queue, loses_no_short_job) {
  constexpr int each = 50'000;
  thread_pool pool{{.workers = 1, .queued_max = 512}};
  std::atomic<int> runs{0};
  const auto submit = [&pool, &runs] {
    job_group group{pool};
    for (int i = 0; i < each; ++i) group.run([&runs] { runs.fetch_add(1); });
  };
  std::vector<std::thread> others;
  for (int i = 0; i < 3; ++i) others.emplace_back(submit);
  submit();
  for (std::thread& other : others) other.join();
  EXPECT_EQ(runs, 4 * each);
}

// A pool without workers, so that it stays full.
void fill(thread_pool& pool) {
  for (std::size_t i = 0; i < jobs_detail::job_slab::chunk_records; ++i) pool.submit([] {});
  bool is_full = false;
  pool.submit([&is_full] { is_full = true; });
  ASSERT_TRUE(is_full);
}

TEST(a_chain_of_jobs, stays_low_on_the_stack_where_there_is_no_room) {
  thread_pool full{{.queued_max = 1}};
  fill(full);
  job_group group{full};
  int left = 5'000;
  int deepest = 0;
  const std::function<void()> link = [&] {
    deepest = std::max(deepest, test::jobs_on_this_stack());
    if (--left == 0) return;
    held_job next(full, 1, [&link] { link(); }, &group);
    next.release();
  };
  group.run([&link] { link(); });
  group.wait();
  EXPECT_EQ(left, 0);
  EXPECT_LE(deepest, 40);
}

TEST(a_chain_of_futures, stays_low_on_the_stack_where_there_is_no_room) {
  thread_pool full{{.queued_max = 1}};
  fill(full);
  int deepest = 0;
  auto first = *promise<int>::make();
  shared_future<int> last = first.future();
  for (int i = 0; i < 5'000; ++i) {
    last = *last.then(full, [&deepest](const result<int>& number) {
      deepest = std::max(deepest, test::jobs_on_this_stack());
      return *number + 1;
    });
  }
  first.set_value(0);
  while (!last.is_ready()) ASSERT_TRUE(full.try_help());
  EXPECT_EQ(last.get(), 5'000);
  EXPECT_LE(deepest, 40);
}

}  // namespace
}  // namespace overture::full_queue_test
