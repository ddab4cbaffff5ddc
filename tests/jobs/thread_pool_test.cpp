// SPDX-License-Identifier: Zlib
//
// Behaviour that must hold for any number of workers, none included.
#include "overture/jobs/thread_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "jobs/pool_test_support.hpp"

namespace overture::thread_pool_test {
namespace {

class pools : public testing::TestWithParam<unsigned> {
 protected:
  thread_pool pool_{{.workers = GetParam()}};
};

INSTANTIATE_TEST_SUITE_P(workers, pools, testing::Values(0u, 1u, 2u, 8u),
                         testing::PrintToStringParamName());

TEST_P(pools, have_the_workers_that_were_asked_for) {
  EXPECT_TRUE(pool_.status());
  EXPECT_EQ(pool_.workers(), GetParam());
  EXPECT_EQ(pool_.concurrency(), GetParam() + 1);
}

TEST_P(pools, run_every_job_of_a_group_before_the_wait_ends) {
  constexpr int jobs = 3000;
  std::vector<int> runs(jobs, 0);
  job_group group{pool_};
  for (int& count : runs) group.run([&count] { ++count; });
  group.wait();
  EXPECT_EQ(group.pending(), 0u);
  EXPECT_EQ(std::count(runs.begin(), runs.end(), 1), jobs);
}

TEST_P(pools, let_a_group_be_used_again) {
  job_group group{pool_};
  for (int round = 0; round < 100; ++round) {
    int result = 0;
    group.run([&result] { result = 1; });
    group.wait();
    ASSERT_EQ(result, 1);
  }
}

TEST_P(pools, let_a_group_be_destroyed_right_after_the_wait) {
  for (int round = 0; round < 2000; ++round) {
    auto group = std::make_unique<job_group>(pool_);
    group->run([] {});
    group->run([] {});
    group->wait();
  }
}

TEST_P(pools, destroy_what_a_job_owns_before_the_wait_ends) {
  for (int round = 0; round < 500; ++round) {
    auto owned = std::make_shared<int>(0);
    job_group group{pool_};
    group.run([owned] { ++*owned; });
    group.wait();
    ASSERT_EQ(owned.use_count(), 1);
    ASSERT_EQ(*owned, 1);
  }
}

TEST_P(pools, run_jobs_that_submit_and_wait) {
  EXPECT_EQ(test::fib(pool_, 18), 2584u);
}

TEST_P(pools, run_jobs_that_add_to_their_own_group) {
  atomic<int> runs{0};
  job_group group{pool_};
  for (int i = 0; i < 50; ++i) {
    group.run([&] {
      for (int k = 0; k < 20; ++k) group.run([&runs] { runs.fetch_add(1); });
      runs.fetch_add(1);
    });
  }
  group.wait();
  EXPECT_EQ(runs.load(), 50 * 21);
}

TEST_P(pools, run_a_parallel_for_over_each_index_once) {
  for (const std::size_t grain : {0u, 1u, 7u, 5000u}) {
    std::vector<int> runs(1000, 0);
    parallel_for(pool_, 0, runs.size(), [&runs](std::size_t i) { ++runs[i]; }, grain);
    ASSERT_EQ(std::count(runs.begin(), runs.end(), 1), 1000) << grain;
  }
  parallel_for(pool_, 5, 5, [](std::size_t) { FAIL(); });
  parallel_for(pool_, 6, 5, [](std::size_t) { FAIL(); });
}

TEST_P(pools, run_a_parallel_for_at_the_end_of_the_numbers) {
  atomic<int> runs{0};
  parallel_for(
      pool_, SIZE_MAX - 100, SIZE_MAX, [&runs](std::size_t i) { runs.fetch_add(i < SIZE_MAX); }, 3);
  EXPECT_EQ(runs.load(), 100);
}

TEST_P(pools, run_a_parallel_for_inside_of_jobs) {
  atomic<int> runs{0};
  parallel_for(pool_, 0, 10, [&](std::size_t) {
    parallel_for(pool_, 0, 10, [&](std::size_t) {
      parallel_for(pool_, 0, 10, [&runs](std::size_t) { runs.fetch_add(1); });
    });
  });
  EXPECT_EQ(runs.load(), 1000);
}

TEST_P(pools, take_jobs_from_threads_that_are_no_workers) {
  constexpr int threads = 4;
  constexpr int jobs = 2000;
  atomic<int> runs{0};
  job_group group{pool_};
  std::vector<std::thread> submitters;
  for (int t = 0; t < threads; ++t) {
    submitters.emplace_back([&] {
      for (int i = 0; i < jobs; ++i) group.run([&runs] { runs.fetch_add(1); });
    });
  }
  for (auto& thread : submitters) thread.join();
  group.wait();
  EXPECT_EQ(runs.load(), threads * jobs);
}

TEST_P(pools, let_many_threads_wait_at_once) {
  constexpr int threads = 5;
  std::vector<std::thread> hosts;
  for (int t = 0; t < threads; ++t) {
    hosts.emplace_back([this] {
      for (int round = 0; round < 30; ++round) ASSERT_EQ(test::fib(pool_, 9), 34u);
    });
  }
  for (auto& thread : hosts) thread.join();
}

TEST_P(pools, let_several_threads_wait_for_one_group) {
  for (int round = 0; round < 50; ++round) {
    atomic<int> runs{0};
    job_group group{pool_};
    for (int i = 0; i < 40; ++i) group.run([&runs] { runs.fetch_add(1); });
    std::thread other([&group] { group.wait(); });
    group.wait();
    ASSERT_EQ(runs.load(), 40);
    other.join();
  }
}

TEST_P(pools, run_what_is_still_queued_before_they_end) {
  atomic<int> runs{0};
  {
    thread_pool pool{{.workers = GetParam()}};
    for (int i = 0; i < 200; ++i) {
      pool.submit(
          [&] {
            pool.submit([&runs] { runs.fetch_add(1); }, nullptr);
            runs.fetch_add(1);
          },
          nullptr);
    }
  }
  EXPECT_EQ(runs.load(), 400);
}

TEST_P(pools, execute_tasks) {
  atomic<int> runs{0};
  const task work{[](void* context) { static_cast<atomic<int>*>(context)->fetch_add(1); }, &runs};
  job_group group{pool_};
  group.execute(work);
  group.wait();
  EXPECT_EQ(runs.load(), 1);
  {
    thread_pool other{{.workers = GetParam()}};
    other.execute(work);
  }
  EXPECT_EQ(runs.load(), 2);
}

TEST_P(pools, count_the_jobs_they_have_run) {
  job_group group{pool_};
  for (int i = 0; i < 500; ++i) group.run([] {});
  group.wait();
  EXPECT_EQ(pool_.stats().jobs_run, 500u);
}

TEST_P(pools, may_wait_for_a_group_of_another_pool_inside_a_job) {
  thread_pool inner{{.workers = 1}};
  atomic<int> runs{0};
  parallel_for(
      pool_, 0, 20,
      [&](std::size_t) {
        parallel_for(inner, 0, 20, [&runs](std::size_t) { runs.fetch_add(1); }, 1);
      },
      1);
  EXPECT_EQ(runs.load(), 400);
}

TEST(pool, starts_jobs_from_outside_in_the_order_they_came) {
  std::vector<int> order;
  {
    thread_pool pool{{.workers = 1}};
    test::busy_worker busy(pool);
    for (int i = 0; i < 100; ++i) pool.submit([&order, i] { order.push_back(i); }, nullptr);
  }
  std::vector<int> expected(100);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

TEST(pool, runs_what_one_thread_submitted_before_what_another_submits_later) {
  std::vector<int> order;
  {
    thread_pool pool{{.workers = 1}};
    test::busy_worker busy(pool);
    barricade began;
    barricade door;
    const auto submit = [&](int from, int to) {
      for (int i = from; i < to; ++i) pool.submit([&order, i] { order.push_back(i); }, nullptr);
    };
    pool.submit(
        [&] {
          began.lower();
          door.wait();
        },
        nullptr);
    submit(0, 100);
    busy.release();
    began.wait();
    std::thread(submit, 100, 101).join();
    submit(101, 200);
    door.lower();
  }
  std::vector<int> expected(200);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

TEST(pool, starts_jobs_of_a_group_in_order_when_only_the_waiter_runs_them) {
  std::vector<int> order;
  thread_pool pool;
  job_group group{pool};
  for (int i = 0; i < 100; ++i) group.run([&order, i] { order.push_back(i); });
  group.wait();
  std::vector<int> expected(100);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

TEST(pool, runs_the_newest_job_of_a_worker_first) {
  std::vector<int> order;
  {
    thread_pool pool{{.workers = 1}};
    pool.submit(
        [&] {
          for (int i = 0; i < 3; ++i) pool.submit([&order, i] { order.push_back(i); }, nullptr);
        },
        nullptr);
  }
  EXPECT_EQ(order, (std::vector<int>{2, 1, 0}));
}

TEST(pool, caps_its_workers_and_says_so) {
  // Threads that are never started cost nothing: refuse them all.
  struct refusing final : thread_factory {
    result<thread_handle> start(const thread_options&, void (*)(void*) noexcept, void*) override {
      return fail(errc::limit, "no threads here");
    }
    void join(thread_handle) noexcept override { FAIL(); }
  } factory;
  thread_pool pool{{.workers = 100'000, .threads = &factory}};
  ASSERT_FALSE(pool.status());
  EXPECT_EQ(pool.status().error().code, errc::limit);
  EXPECT_EQ(pool.workers(), 0u);
}

TEST(pool, passes_its_thread_options_to_the_factory) {
  struct recording final : thread_factory {
    result<thread_handle> start(const thread_options& options, void (*)(void*) noexcept,
                                void*) override {
      seen = options;
      name = options.name;
      return fail(errc::limit, "no threads here");
    }
    void join(thread_handle) noexcept override { FAIL(); }
    thread_options seen;
    std::string name;
  } factory;
  const thread_pool pool{{.workers = 1,
                          .worker_thread = {.priority = thread_priority::low,
                                            .affinity_mask = 5,
                                            .stack_bytes = 1 << 20,
                                            .batch_scheduling = true},
                          .threads = &factory}};
  EXPECT_EQ(factory.seen.priority, thread_priority::low);
  EXPECT_EQ(factory.seen.affinity_mask, 5u);
  EXPECT_EQ(factory.seen.stack_bytes, std::size_t{1} << 20);
  EXPECT_TRUE(factory.seen.batch_scheduling);
  EXPECT_EQ(factory.name, "worker 1");
  const thread_pool usual{{.workers = 1, .threads = &factory}};
  EXPECT_FALSE(factory.seen.batch_scheduling);
  const thread_pool named{{.workers = 1, .worker_thread = {.name = "io"}, .threads = &factory}};
  EXPECT_EQ(factory.name, "io 1");
  const thread_pool nameless{
      {.workers = 1, .worker_thread = {.name = nullptr}, .threads = &factory}};
  EXPECT_EQ(factory.name, "worker 1");
  const thread_pool wordy{
      {.workers = 1, .worker_thread = {.name = "loader of the world"}, .threads = &factory}};
  EXPECT_EQ(factory.name, "loader of the 1") << "the number shows, whatever the name";
}

TEST(pool, survives_a_random_mixture) {
  thread_pool pool{{.workers = 3, .tuning = {.spin_ns = 0}}};
  atomic<std::uint64_t> runs{0};
  atomic<std::uint64_t> expected{0};
  const auto host = [&](std::uint32_t seed) {
    std::uint32_t random = seed;
    const auto below = [&random](std::uint32_t most) {
      random = random * 1664525u + 1013904223u;
      return (random >> 8) % most;
    };
    for (int round = 0; round < 300; ++round) {
      job_group group{pool};
      const std::uint32_t jobs = below(20);
      for (std::uint32_t i = 0; i < jobs; ++i) {
        if (below(4) == 0) pool.submit([&runs] { runs.fetch_add(1); }, nullptr);
        const bool nested = below(3) == 0;
        expected.fetch_add(1);
        group.run([&, nested] {
          runs.fetch_add(1);
          if (nested) parallel_for(pool, 0, 4, [&runs](std::size_t) { runs.fetch_add(0); }, 1);
        });
      }
      if (below(2) == 0) (void)group.wait_until(now_ns() + below(20'000));
      group.wait();
      ASSERT_EQ(group.pending(), 0u);
    }
  };
  std::thread first([&] { host(1); });
  std::thread second([&] { host(2); });
  host(3);
  first.join();
  second.join();
  EXPECT_GE(runs.load(), expected.load());
}

}  // namespace
}  // namespace overture::thread_pool_test
