// SPDX-License-Identifier: Zlib
//
// How many writes to shared lines a job costs. These are upper bounds: a worker's own deque and
// records are counted too, although no other thread writes them unless it steals.
#include "overture/jobs/thread_pool.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <thread>

#include "jobs/pool_test_support.hpp"
#include "support/wake_calls.hpp"

namespace overture::thread_pool_test {
namespace {

using counting::operations;
using counting::recording;

struct costs {
  operations submit;
  operations group_of_submit;
  operations run_and_wait;
  std::uint64_t wake_calls = 0;
};

// Counts on the calling thread: one job is submitted, then run in the wait for its group.
costs measure(thread_pool& pool) {
  costs seen;
  job_group group{pool};
  group.run([] {});  // fills the thread's cache of records
  group.wait();
  const std::uint64_t wakes = test::wake_calls();
  {
    const recording record;
    group.run([] {});
    seen.submit = record.total();
    seen.group_of_submit = record.of(group);
  }
  {
    const recording record;
    group.wait();
    seen.run_and_wait = record.total();
  }
  seen.wake_calls = test::wake_calls() - wakes;
  return seen;
}

TEST(submitting_from_a_worker, writes_two_shared_words_one_of_them_the_group) {
  thread_pool pool{{.workers = 1}};
  costs seen;
  barricade done;
  pool.submit(
      [&] {
        seen = measure(pool);
        done.lower();
      },
      nullptr);
  done.wait();
  EXPECT_EQ(seen.group_of_submit.read_modify_writes, 1u);
  EXPECT_LE(seen.submit.read_modify_writes, 2u);  // the group's count, the bottom of the deque
  // The slot in the deque, and the record: group, state, and its link when it left the cache.
  EXPECT_LE(seen.submit.stores, 4u);
  EXPECT_LE(seen.run_and_wait.read_modify_writes, 4u);  // pop (two for the last), claim, group
  EXPECT_EQ(seen.wake_calls, 0u);
}

TEST(submitting_from_the_host, writes_three_shared_words) {
  thread_pool pool;
  const costs seen = measure(pool);
  EXPECT_EQ(seen.group_of_submit.read_modify_writes, 1u);
  EXPECT_LE(seen.submit.read_modify_writes, 3u);  // the group, the free records, the arrivals
  // The slot, the group and where it begins, the state, where the arrivals end, which record is
  // next, and the queue is given back.
  EXPECT_LE(seen.submit.stores, 7u);
  EXPECT_EQ(seen.wake_calls, 0u);
}

TEST(waiting, for_a_group_that_has_ended_is_one_load) {
  thread_pool pool;
  job_group group{pool};
  const recording seen;
  group.wait();
  EXPECT_EQ(seen.total().loads, 1u);
  EXPECT_EQ(seen.total().writes(), 0u);
}

struct queued_before {
  std::size_t jobs;
  job_priority priority = job_priority::normal;
};

// What it costs to look where nothing is differs by a few loads; a look at each job would cost
// thousands.
constexpr std::uint64_t some_more = 500;

// Loads of a wait for four jobs of this priority, behind those of another group.
std::uint64_t loads_of_wait(const queued_before& foreign, job_priority priority) {
  thread_pool pool;
  int foreign_runs = 0;
  int runs = 0;
  std::uint64_t loads = 0;
  job_group others{pool};
  for (std::size_t i = 0; i < foreign.jobs; ++i) {
    others.run([&foreign_runs] { ++foreign_runs; }, {.priority = foreign.priority});
  }
  {
    job_group group{pool};
    for (int i = 0; i < 4; ++i) group.run([&runs] { ++runs; }, {.priority = priority});
    const recording seen;
    group.wait();
    loads = seen.total().loads;
  }
  EXPECT_EQ(runs, 4);
  EXPECT_EQ(foreign_runs, 0);
  others.cancel();
  return loads;
}

TEST(waiting, costs_the_same_behind_few_and_many_jobs_of_another_group) {
  const auto all = {job_priority::high, job_priority::normal, job_priority::low};
  for (const job_priority own : all) {
    for (const job_priority foreign : all) {
      EXPECT_LT(loads_of_wait({5'000, foreign}, own), loads_of_wait({50, foreign}, own) + some_more)
          << static_cast<int>(own) << " behind " << static_cast<int>(foreign);
    }
  }
}

TEST(waiting, for_what_another_thread_has_queued_costs_the_same_behind_many_jobs) {
  const auto loads_behind = [](std::size_t foreign) {
    thread_pool pool;
    int runs = 0;
    job_group others{pool};
    job_group group{pool};
    std::thread([&] {
      for (std::size_t i = 0; i < foreign; ++i) others.run([] {});
      for (int i = 0; i < 4; ++i) group.run([&runs] { ++runs; });
    }).join();
    const recording seen;
    group.wait();
    EXPECT_EQ(runs, 4);
    others.cancel();
    return seen.total().loads;
  };
  EXPECT_LT(loads_behind(5'000), loads_behind(50) + some_more);
}

TEST(waiting, inside_a_job_costs_the_same_behind_many_jobs) {
  const auto loads_behind = [](std::size_t foreign) {
    thread_pool pool;
    std::uint64_t loads = 0;
    job_group outer{pool};
    outer.run([&] {
      job_group group{pool};
      int runs = 0;
      for (int i = 0; i < 4; ++i) group.run([&runs] { ++runs; });
      const recording seen;
      group.wait();
      EXPECT_EQ(runs, 4);
      loads = seen.total().loads;
    });
    job_group others{pool};
    for (std::size_t i = 0; i < foreign; ++i) others.run([] {});
    outer.wait();
    others.cancel();
    return loads;
  };
  EXPECT_LT(loads_behind(5'000), loads_behind(50) + some_more);
}

// Its jobs may run on other threads, which takes less long than a look through all queues.
TEST(waiting, in_vain_costs_the_same_behind_many_jobs) {
  const auto loads_behind = [](const queued_before& foreign) {
    thread_pool pool;
    job_group others{pool};
    for (std::size_t i = 0; i < foreign.jobs; ++i) {
      others.run([] {}, {.priority = foreign.priority});
    }
    job_group group{pool};
    group.run([] {});
    group.begin_job();  // as if it ran elsewhere
    const recording seen;
    EXPECT_FALSE(group.wait_until(1));
    EXPECT_FALSE(group.wait_until(1));
    EXPECT_TRUE(group.end_job());
    others.cancel();
    return seen.total().loads;
  };
  for (const job_priority each : {job_priority::normal, job_priority::high, job_priority::low}) {
    EXPECT_EQ(loads_behind({5'000, each}), loads_behind({500, each})) << static_cast<int>(each);
  }
}

}  // namespace
}  // namespace overture::thread_pool_test
