// SPDX-License-Identifier: Zlib
//
// How many writes to shared lines a job costs. These are upper bounds: a worker's own deque and
// records are counted too, although no other thread writes them unless it steals.
#include "overture/jobs/thread_pool.hpp"

#include <gtest/gtest.h>

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
  // The slot, the group, the state, where the arrivals end, which record is next, and the queue is
  // given back.
  EXPECT_LE(seen.submit.stores, 6u);
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

}  // namespace
}  // namespace overture::thread_pool_test
