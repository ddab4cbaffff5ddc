// SPDX-License-Identifier: Zlib
//
// What workers without work do, by policy.
#include <gtest/gtest.h>

#include "jobs/pool_test_support.hpp"
#include "support/wake_calls.hpp"

namespace overture::wake_policy_test {
namespace {

using test::await_parked;

void run_one(thread_pool& pool) {
  atomic<bool> done{false};
  pool.submit([&done] { done.store(true); });
  while (!done.load()) yield_thread();
}

// Leaves the processor to the workers, as a main thread does between its frames.
void sleep_until(std::uint64_t at_ns) {
  barricade never;
  const std::uint64_t now = now_ns();
  if (now < at_ns) (void)never.wait_for(std::chrono::nanoseconds(at_ns - now));
}

TEST(wake_policies, are_switched_at_run_time) {
  thread_pool pool{{.workers = 2}};
  EXPECT_EQ(pool.current_wake_policy(), wake_policy::park);
  for (const wake_policy each : {wake_policy::spin, wake_policy::warm, wake_policy::park}) {
    pool.set_wake_policy(each);
    EXPECT_EQ(pool.current_wake_policy(), each);
    for (int i = 0; i < 50; ++i) run_one(pool);
  }
  await_parked(pool);
}

TEST(wake_policies, wake_those_that_should_not_sleep) {
  thread_pool pool{{.workers = 3}};
  await_parked(pool);
  pool.set_wake_policy(wake_policy::spin);
  while (pool.stats().parked_now != 0) yield_thread();
}

TEST(wake_policies, of_the_zone_that_sleeps_least_holds) {
  thread_pool pool;
  {
    const wake_zone warm(pool, wake_policy::warm);
    EXPECT_EQ(pool.current_wake_policy(), wake_policy::warm);
    {
      const hot_zone hot(pool);
      const hot_zone again(pool);
      const wake_zone park(pool, wake_policy::park);
      EXPECT_EQ(pool.current_wake_policy(), wake_policy::spin);
    }
    EXPECT_EQ(pool.current_wake_policy(), wake_policy::warm);
  }
  pool.set_wake_policy(wake_policy::spin);
  const wake_zone park(pool, wake_policy::park);
  EXPECT_EQ(pool.current_wake_policy(), wake_policy::park);
}

TEST(a_hot_zone, wakes_all_workers_and_lets_none_park) {
  thread_pool pool{{.workers = 3}};
  await_parked(pool);
  {
    const hot_zone hot(pool);
    while (pool.stats().parked_now != 0) yield_thread();
    const std::uint64_t parks = pool.stats().parks;
    for (int i = 0; i < 100; ++i) run_one(pool);
    EXPECT_EQ(pool.stats().parks, parks);
    EXPECT_EQ(pool.stats().parked_now, 0u);
  }
  await_parked(pool);
}

TEST(a_warm_pool, keeps_one_worker_awake_and_needs_no_wake) {
  thread_pool pool{
      {.workers = 3, .wake = wake_policy::warm, .tuning = {.warm_ns = 3'600'000'000'000 / 1000}}};
  const auto await_others_parked = [&] {
    while (pool.stats().parked_now != 2) yield_thread();
  };
  // On a busy machine a job may take so long that the role is handed on; then the next row counts.
  for (bool seen = false; !seen;) {
    await_others_parked();
    const std::uint64_t wakes = pool.stats().wakes;
    const std::uint64_t calls = test::wake_calls();
    for (int i = 0; i < 5; ++i) {
      run_one(pool);
      await_others_parked();
    }
    seen = pool.stats().wakes == wakes && test::wake_calls() == calls;
  }
}

TEST(a_warm_pool, hands_the_role_on_while_its_worker_has_a_long_job) {
  constexpr unsigned no_end_ns = 3'600'000'000;
  thread_pool pool{{.workers = 2, .wake = wake_policy::warm, .tuning = {.warm_ns = no_end_ns}}};
  while (pool.stats().parked_now != 1) yield_thread();
  const test::busy_worker long_job(pool);
  run_one(pool);  // at the latest now the other one is awake, and it stays so
  const std::uint64_t wakes = pool.stats().wakes;
  for (int i = 0; i < 5; ++i) run_one(pool);
  EXPECT_EQ(pool.stats().wakes, wakes);
  EXPECT_EQ(pool.stats().parked_now, 0u);
}

TEST(a_warm_pool, parks_when_its_budget_is_used_up) {
  thread_pool pool{{.workers = 2, .wake = wake_policy::warm, .tuning = {.warm_ns = 1'000'000}}};
  await_parked(pool);
  run_one(pool);
  await_parked(pool);
}

// One sleeps until the time that was told; the other one has a job, and ends it.
TEST(a_warm_pool, keeps_a_worker_awake_while_another_sleeps_until_work_is_expected) {
  constexpr unsigned warm_ns = 1'000'000;
  thread_pool pool{{.workers = 2, .wake = wake_policy::warm, .tuning = {.warm_ns = warm_ns}}};
  pool.expect_work(now_ns() + 3'600'000'000'000);
  barricade both;
  atomic<int> begun{0};
  std::uint64_t spun_ns = 0;
  pool.submit([&] {
    begun.fetch_add(1);
    while (begun.load() != 2 || pool.stats().parked_now != 1) yield_thread();
    spun_ns = pool.stats().spun_ns;
    both.lower();
  });
  pool.submit([&] {
    begun.fetch_add(1);
    while (begun.load() != 2) yield_thread();
  });
  both.wait();
  await_parked(pool);
  EXPECT_GE(pool.stats().spun_ns, spun_ns + warm_ns);
}

TEST(expected_work, wakes_one_worker_ahead_of_its_time) {
  thread_pool pool{{.workers = 2}};
  // On a busy machine the time may come before the worker sleeps; then the next try is asked.
  for (bool seen = false; !seen;) {
    await_parked(pool);
    pool.expect_work(now_ns() + 20'000'000);
    run_one(pool);  // a worker that parks after this knows what is expected
    await_parked(pool);
    const thread_pool_stats before = pool.stats();
    // It comes back by itself, looks for work for a while in vain, and sleeps again.
    const std::uint64_t until_ns = now_ns() + 200'000'000;
    while (!seen && now_ns() < until_ns) {
      yield_thread();
      const thread_pool_stats now = pool.stats();
      seen = now.spun_ns >= before.spun_ns + 100'000 && now.wakes == before.wakes;
    }
  }
  await_parked(pool);
}

TEST(expected_work, holds_if_the_next_time_is_named_before_the_work_comes) {
  thread_pool pool{{.workers = 1}};
  // On a busy machine a worker may be late, or kept from running until the look, so that one that
  // would sleep seems not to: more of them must stay awake than do not.
  for (int stayed = 0, left = 0; stayed < left + 5;) {
    await_parked(pool);
    const std::uint64_t at_ns = now_ns() + 5'000'000;
    pool.expect_work(at_ns);
    run_one(pool);
    sleep_until(at_ns + 100'000);
    const thread_pool_stats before = pool.stats();
    // As a main thread does that is late, before it submits the jobs of its frame.
    pool.expect_work(at_ns + 3'600'000'000'000);
    sleep_until(at_ns + 200'000);
    const thread_pool_stats after = pool.stats();
    if (before.parked_now != 0 || now_ns() > at_ns + 450'000) continue;  // one of them was late
    ++(after.parked_now == 0 && after.parks == before.parks ? stayed : left);
  }
}

TEST(expected_work, that_is_called_off_lets_the_worker_sleep) {
  thread_pool pool{{.workers = 1}};
  for (int i = 0; i < 20; ++i) {
    await_parked(pool);
    const std::uint64_t at_ns = now_ns() + 1'000'000;
    pool.expect_work(at_ns);
    run_one(pool);
    sleep_until(at_ns + 100'000);
    pool.expect_work(0);
  }
  await_parked(pool);
}

TEST(idle_workers, sleep_a_second_without_a_wake) {
  thread_pool pool{{.workers = 2}};
  await_parked(pool);
  const thread_pool_stats before = pool.stats();
  barricade never;
  EXPECT_FALSE(never.wait_for(std::chrono::seconds(1)));
  const thread_pool_stats after = pool.stats();
  EXPECT_EQ(after.wakes, before.wakes);
  EXPECT_EQ(after.parks, before.parks);
  EXPECT_EQ(after.wakes_futile, before.wakes_futile);
}

}  // namespace
}  // namespace overture::wake_policy_test
