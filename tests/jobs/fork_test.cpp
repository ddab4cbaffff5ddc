// SPDX-License-Identifier: Zlib
//
// Forks: the halves of parallel calls, taken back by the forking thread or by a thief.
#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include "jobs/pool_test_support.hpp"
#include "support/guards.hpp"

namespace overture::fork_test {
namespace {

std::uint64_t forked_fib(job_system& system, unsigned n) {
  if (n < 2) return n;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  parallel_invoke(
      system, [&] { first = forked_fib(system, n - 1); },
      [&] { second = forked_fib(system, n - 2); });
  return first + second;
}

class forks : public testing::TestWithParam<unsigned> {
 protected:
  thread_pool pool_{{.workers = GetParam()}};
};

INSTANTIATE_TEST_SUITE_P(workers, forks, testing::Values(0u, 1u, 3u),
                         testing::PrintToStringParamName());

TEST_P(forks, compute_what_the_recursion_does) {
  for (int round = 0; round < 20; ++round) ASSERT_EQ(forked_fib(pool_, 15), 610u);
}

TEST_P(forks, compute_it_inside_a_job_too) {
  job_group group{pool_};
  std::uint64_t value = 0;
  group.run([&] { value = forked_fib(pool_, 15); });
  group.wait();
  EXPECT_EQ(value, 610u);
}

TEST_P(forks, run_three_and_more_calls) {
  std::vector<int> runs(5, 0);
  parallel_invoke(
      pool_, [&] { ++runs[0]; }, [&] { ++runs[1]; }, [&] { ++runs[2]; }, [&] { ++runs[3]; },
      [&] { ++runs[4]; });
  EXPECT_EQ(runs, std::vector<int>(5, 1));
}

TEST_P(forks, reduce_in_order) {
  const auto text = parallel_reduce(
      pool_, 0, 20, std::string(),
      [](std::size_t i) { return std::string(1, static_cast<char>('a' + i)); },
      [](std::string left, const std::string& right) { return left + right; });
  EXPECT_EQ(text, "abcdefghijklmnopqrst");
  EXPECT_EQ(parallel_reduce(
                pool_, 7, 7, 3, [](std::size_t) { return 1; },
                [](int left, int right) { return left + right; }),
            3);
}

TEST_P(forks, leave_jobs_that_a_half_submitted_to_others) {
  atomic<int> runs{0};
  for (int round = 0; round < 50; ++round) {
    parallel_invoke(
        pool_,
        [&] {
          for (int i = 0; i < 3; ++i) pool_.submit([&runs] { runs.fetch_add(1); });
        },
        [] {});
  }
  while (runs.load() != 150) {
    if (!pool_.try_help()) yield_thread();
  }
}

TEST_P(forks, come_from_many_threads_at_once) {
  std::vector<std::thread> hosts;
  for (int i = 0; i < 12; ++i) {  // more than there are places for guests
    hosts.emplace_back([this] {
      for (int round = 0; round < 5; ++round) ASSERT_EQ(forked_fib(pool_, 12), 144u);
    });
  }
  for (std::thread& each : hosts) each.join();
}

TEST(fork, is_taken_by_a_thief_while_its_owner_is_busy) {
  thread_pool pool{{.workers = 1}};
  barricade both;
  // Ends only if both halves run at the same time.
  parallel_invoke(pool, [&both] { both.wait(); }, [&both] { both.lower(); });
  EXPECT_EQ(pool.stats().jobs_stolen, 1u);
}

TEST(fork, whose_thief_forks_again_is_helped_with) {
  thread_pool pool{{.workers = 1}};
  barricade first_stolen;
  barricade met;
  parallel_invoke(
      pool, [&] { first_stolen.wait(); },
      [&] {
        first_stolen.lower();
        // The owner has nothing left to do but wait for this half: it must take the inner one.
        parallel_invoke(pool, [&met] { met.wait(); }, [&met] { met.lower(); });
      });
  EXPECT_EQ(pool.stats().jobs_stolen, 2u);
}

TEST(fork, of_a_job_is_helped_with_by_waiters_of_its_group) {
  thread_pool pool{{.workers = 1}};
  barricade begun;
  barricade met;
  job_group group{pool};
  group.run([&] {
    begun.lower();
    parallel_invoke(pool, [&met] { met.wait(); }, [&met] { met.lower(); });
  });
  begun.wait();
  group.wait();
}

TEST(fork, neither_allocates_nor_locks) {
  thread_pool pool{{.workers = 1}};
  (void)forked_fib(pool, 10);
  const test::no_alloc_scope no_alloc;
  std::optional<test::no_lock_scope> no_lock;
  if (!test::sleeping_locks) no_lock.emplace();
  EXPECT_EQ(forked_fib(pool, 10), 55u);
}

}  // namespace
}  // namespace overture::fork_test
