// SPDX-License-Identifier: Zlib
//
// Which workers are woken, how often, and what an idle pool does.
#include <gtest/gtest.h>

#include <cstring>

#include "jobs/pool_test_support.hpp"
#include "overture/trace/timeline.hpp"
#include "support/wake_calls.hpp"

namespace overture::wake_test {
namespace {

using test::await_parked;

TEST(wakes, are_at_most_one_for_a_job_however_many_workers_sleep) {
  thread_pool pool{{.workers = 8}};
  for (int round = 0; round < 50; ++round) {
    await_parked(pool);
    const std::uint64_t before = pool.stats().wakes;
    barricade done;
    pool.submit([&done] { done.lower(); }, nullptr);
    done.wait();
    await_parked(pool);
    ASSERT_LE(pool.stats().wakes - before, 1u);
  }
}

TEST(wakes, are_handed_on_until_there_is_a_worker_for_each_job) {
  constexpr unsigned workers = 8;
  thread_pool pool{{.workers = workers}};
  for (int round = 0; round < 20; ++round) {
    await_parked(pool);
    atomic<unsigned> started{0};
    barricade all_started;
    barricade done;
    atomic<unsigned> ended{0};
    for (unsigned i = 0; i < workers; ++i) {
      pool.submit(
          [&] {
            // Ends only once all eight run at the same time.
            if (started.fetch_add(1) + 1 == workers) all_started.lower();
            all_started.wait();
            if (ended.fetch_add(1) + 1 == workers) done.lower();
          },
          nullptr);
    }
    done.wait();
  }
}

TEST(wakes, spread_the_jobs_of_a_worker_too) {
  constexpr unsigned workers = 4;
  thread_pool pool{{.workers = workers}};
  await_parked(pool);
  atomic<unsigned> started{0};
  barricade all_started;
  job_group group{pool};
  group.run([&] {
    for (unsigned i = 0; i < workers; ++i) {
      group.run([&] {
        if (started.fetch_add(1) + 1 == workers) all_started.lower();
        all_started.wait();
      });
    }
  });
  all_started.wait();
  group.wait();
  EXPECT_GE(pool.stats().jobs_stolen, 1u);
}

TEST(wakes, are_not_needed_while_every_worker_is_busy) {
  thread_pool pool{{.workers = 1}};
  const test::busy_worker busy(pool);
  const std::uint64_t wakes = pool.stats().wakes;
  const std::uint64_t calls = test::wake_calls();
  atomic<int> runs{0};
  for (int i = 0; i < 100; ++i) pool.submit([&runs] { runs.fetch_add(1); }, nullptr);
  EXPECT_EQ(pool.stats().wakes, wakes);
  EXPECT_EQ(test::wake_calls(), calls);
}

TEST(an_idle_pool, does_nothing) {
  thread_pool pool{{.workers = 4}};
  await_parked(pool);
  job_group group{pool};
  group.run([] {});
  group.wait();
  await_parked(pool);
  const thread_pool_stats before = pool.stats();
  const std::uint64_t calls = test::wake_calls();
  for (int i = 0; i < 2000; ++i) yield_thread();
  const thread_pool_stats after = pool.stats();
  EXPECT_EQ(after.parks, before.parks);
  EXPECT_EQ(after.wakes, before.wakes);
  EXPECT_EQ(after.wakes_futile, before.wakes_futile);
  EXPECT_EQ(after.parked_now, 4u);
  // Workers that had announced themselves may have gone to sleep meanwhile; none woke.
  EXPECT_EQ(test::wake_calls(), calls);
}

std::uint64_t waits_for(const timeline_track& track, const char* reason) {
  for (const trace_total& total : track.totals()) {
    if (total.kind == event_kind::wait && std::strcmp(total.name, reason) == 0) return total.count;
  }
  return 0;
}

TEST(workers, record_into_the_timeline_under_their_names) {
  timeline record;
  {
    thread_pool pool{{.workers = 2, .worker_thread = {.name = "hand"}, .record = &record}};
    await_parked(pool);
  }
  ASSERT_EQ(record.track_count(), 2u);
  bool seen[3] = {};
  for (std::size_t i = 0; i < 2; ++i) {
    const timeline_track& track = record.track(i);
    seen[1] = seen[1] || std::strcmp(track.name(), "hand 1") == 0;
    seen[2] = seen[2] || std::strcmp(track.name(), "hand 2") == 0;
    EXPECT_NE(track.detached_ns(), 0u);
  }
  EXPECT_TRUE(seen[1]);
  EXPECT_TRUE(seen[2]);
}

TEST(workers, say_what_they_idle_for) {
  timeline record;
  {
    const sync_detail::wait_counts before = sync_detail::wait_layer::counts();
    thread_pool pool{{.workers = 1, .record = &record}};
    test::await_sleepers(before, 1);
    pool.set_idle_reason("a reason");
    for (int i = 0; i < 3; ++i) {
      const sync_detail::wait_counts asleep = sync_detail::wait_layer::counts();
      // Polled, so that this thread does not count as a sleeper.
      atomic<bool> done{false};
      pool.submit([&done] { done.store(true); }, nullptr);
      while (!done.load()) yield_thread();
      test::await_sleepers(asleep, 1);
    }
    pool.set_idle_reason(nullptr);
  }
  ASSERT_EQ(record.track_count(), 1u);
  EXPECT_GE(waits_for(record.track(0), wait_reasons::no_job), 1u);
  EXPECT_GE(waits_for(record.track(0), "a reason"), 1u);
}

}  // namespace
}  // namespace overture::wake_test
