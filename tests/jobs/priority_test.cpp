// SPDX-License-Identifier: Zlib
//
// Priorities, cancellation, outcomes, the main thread's jobs, and helping any group.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "jobs/pool_test_support.hpp"
#include "overture/sync/future.hpp"

namespace overture::priority_test {
namespace {

TEST(priorities, decide_which_job_starts_first) {
  std::vector<int> order;
  {
    thread_pool pool{{.workers = 1}};
    test::busy_worker busy(pool);
    const auto submit = [&](int number, job_priority priority) {
      pool.submit([&order, number] { order.push_back(number); }, nullptr, {.priority = priority});
    };
    submit(4, job_priority::low);
    submit(2, job_priority::normal);
    submit(5, job_priority::low);
    submit(0, job_priority::high);
    submit(3, job_priority::normal);
    submit(1, job_priority::high);
    barricade last;
    pool.submit([&last] { last.lower(); }, nullptr, {.priority = job_priority::low});
    busy.release();
    last.wait();
  }
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5}));
}

// The others are in the worker's own queue by then.
TEST(priorities, put_a_job_before_those_that_a_worker_has_taken_along) {
  std::vector<int> order;
  thread_pool pool{{.workers = 1}};
  test::busy_worker busy(pool);
  const auto add = [&order](int number) { return [&order, number] { order.push_back(number); }; };
  pool.submit([&] {
    order.push_back(0);
    pool.submit(add(1), nullptr, {.priority = job_priority::high});
  });
  pool.submit(add(2));
  pool.submit(add(3));
  barricade last;
  pool.submit([&last] { last.lower(); });
  busy.release();
  last.wait();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
}

// Spare workers, which replace blocked ones, count for nothing.
TEST(background_jobs, leave_one_worker_to_the_others) {
  constexpr unsigned workers = 3;
  thread_pool pool{{.workers = workers, .spare_workers = 2}};
  atomic<unsigned> begun{0};
  barricade door;
  job_group background{pool};
  for (unsigned i = 0; i < 6; ++i) {
    background.run(
        [&] {
          begun.fetch_add(1);
          door.wait();
        },
        {.priority = job_priority::low});
  }
  while (begun.load() != workers - 1) yield_thread();
  // A normal job finds a worker although there is background work for all.
  barricade done;
  pool.submit([&done] { done.lower(); });
  done.wait();
  EXPECT_EQ(begun.load(), workers - 1);
  door.lower();
  background.wait();
  EXPECT_EQ(begun.load(), 6u);
}

TEST(a_cancelled_group, drops_what_has_not_begun) {
  thread_pool pool;
  auto owned = std::make_shared<int>(0);
  job_group group{pool};
  int runs = 0;
  for (int i = 0; i < 10; ++i) group.run([&runs, owned] { ++runs; });
  group.cancel();
  EXPECT_TRUE(group.is_cancelled());
  group.wait();
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(owned.use_count(), 1);
  EXPECT_EQ(pool.stats().jobs_dropped, 10u);
  group.revive();
  group.run([&runs] { ++runs; });
  group.wait();
  EXPECT_EQ(runs, 1);
}

TEST(a_token, drops_the_jobs_that_carry_it) {
  thread_pool pool;
  cancellation token;
  job_group group{pool};
  int runs = 0;
  group.run([&runs] { runs += 1; }, {.token = &token});
  group.run([&runs] { runs += 10; });
  token.cancel();
  group.wait();
  EXPECT_EQ(runs, 10);
}

TEST(a_future, has_the_value_or_the_error_of_its_job) {
  thread_pool pool{{.workers = 2}};
  job_group group{pool};
  cancellation dropped;
  dropped.cancel();
  auto done = promise<int>::make();
  auto failed = promise<int>::make();
  auto never_run = promise<int>::make();
  const std::array futures{done->future(), failed->future(), never_run->future()};
  group.run([last = std::move(*done)]() mutable { last.set_value(7); });
  group.run([last = std::move(*failed)]() mutable { last.set_error({.code = errc::corrupt}); });
  group.run([last = std::move(*never_run)]() mutable { last.set_value(8); }, {.token = &dropped});
  EXPECT_EQ(futures[0].get(), 7);
  EXPECT_EQ(futures[1].get().error().code, errc::corrupt);
  EXPECT_EQ(futures[2].get().error().code, errc::cancelled);
  group.wait();
}

TEST(main_jobs, run_in_pump_only) {
  thread_pool pool{{.workers = 2}};
  int runs = 0;
  barricade queued;
  pool.submit([&] {
    for (int i = 0; i < 3; ++i) pool.submit_main([&runs] { ++runs; });
    queued.lower();
  });
  queued.wait();
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(pool.pump(0), 1u) << "one, however little time there is";
  EXPECT_EQ(pool.pump(1'000'000'000), 2u);
  EXPECT_EQ(pool.pump(1'000'000'000), 0u);
  EXPECT_EQ(runs, 3);
}

// A worker's queue, where this thread has taken jobs out of the middle, so that their records hold
// what it submits next.
class stale_hints : public testing::Test {
 protected:
  stale_hints() {
    pool_.submit([this] {
      others_.run([] {});
      for (int i = 0; i < jobs; ++i) mine_.run([] {});
      queued_.lower();
      door_.wait();
    });
    queued_.wait();
    mine_.wait();
  }
  // The worker meets them.
  void follow() {
    barricade behind;
    pool_.submit([&behind] { behind.lower(); });
    door_.lower();
    behind.wait();  // runs no job meanwhile
  }

  static constexpr int jobs = 40;
  static constexpr int many = 200;  // more than the records that a thread takes at once

  thread_pool pool_{{.workers = 1}};
  job_group others_{pool_};
  job_group mine_{pool_};
  barricade queued_;
  barricade door_;
};

TEST_F(stale_hints, lead_to_no_main_job) {
  const void* const main_thread = &jobs_detail::this_thread_jobs();
  int runs = 0;
  atomic<int> elsewhere{0};
  for (int i = 0; i < many; ++i) {
    pool_.submit_main([&] {
      if (&jobs_detail::this_thread_jobs() != main_thread) elsewhere.fetch_add(1);
      ++runs;
    });
  }
  follow();
  EXPECT_EQ(elsewhere.load(), 0);
  EXPECT_EQ(pool_.pump(1'000'000'000), std::size_t{many});
  EXPECT_EQ(runs, many);
}

// Nor are they counted as if they had been taken from the queue of those.
TEST_F(stale_hints, lead_to_no_background_job) {
  atomic<int> before_the_others{0};
  atomic<bool> others_ran{false};
  job_group low{pool_};
  for (int i = 0; i < many; ++i) {
    low.run([&] { before_the_others.fetch_add(others_ran.load() ? 0 : 1); },
            {.priority = job_priority::low});
  }
  pool_.submit([&] { others_ran.store(true); });
  follow();
  low.wait();
  ASSERT_EQ(before_the_others.load(), 0);
  barricade last;
  pool_.submit([&last] { last.lower(); }, nullptr, {.priority = job_priority::low});
  last.wait();
}

TEST(main_jobs, run_when_their_thread_waits_for_their_group) {
  thread_pool pool{{.workers = 1}};
  job_group group{pool};
  int runs = 0;
  group.run([&] { pool.submit_main([&runs] { ++runs; }, &group); });
  group.wait();
  EXPECT_EQ(runs, 1);
}

TEST(try_help, runs_one_job_of_any_group) {
  thread_pool pool;
  EXPECT_FALSE(pool.try_help());
  int runs = 0;
  pool.submit([&runs] { ++runs; });
  pool.submit([&runs] { ++runs; }, nullptr, {.priority = job_priority::low});
  EXPECT_TRUE(pool.try_help());
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(pool.try_help());
  EXPECT_FALSE(pool.try_help());
  EXPECT_EQ(runs, 2);
}

}  // namespace
}  // namespace overture::priority_test
