// SPDX-License-Identifier: Zlib
//
// A warm pool allocates nothing and takes no lock.
#include <gtest/gtest.h>

#include "jobs/pool_test_support.hpp"
#include "support/guards.hpp"

namespace overture::hot_path_test {
namespace {

// More jobs at once than the tests below have.
void warm_up(thread_pool& pool) {
  job_group group{pool};
  for (int i = 0; i < 300; ++i) group.run([] {});
  group.wait();
}

TEST(hot_paths, of_a_thread_of_the_host_neither_allocate_nor_lock) {
  thread_pool pool;
  warm_up(pool);
  const test::no_alloc_scope no_alloc;
  const test::no_lock_scope no_lock;
  int runs = 0;
  job_group group{pool};
  for (int i = 0; i < 100; ++i) group.run([&runs] { ++runs; });
  group.wait();
  parallel_for(pool, 0, 10, [&runs](std::size_t) { ++runs; }, 1);
  EXPECT_EQ(runs, 110);
}

TEST(hot_paths, of_a_worker_neither_allocate_nor_lock) {
  thread_pool pool{{.workers = 1}};
  barricade done;
  pool.submit(
      [&] {
        warm_up(pool);
        {
          const test::no_alloc_scope no_alloc;
          const test::no_lock_scope no_lock;
          int runs = 0;
          job_group group{pool};
          for (int i = 0; i < 100; ++i) group.run([&runs] { ++runs; });
          group.wait();
          EXPECT_EQ(runs, 100);
        }
        done.lower();
      },
      nullptr);
  done.wait();
}

// The jobs that the waits run leave hints behind that one.
TEST(hot_paths, of_many_waits_behind_a_job_of_another_group_do_not_allocate) {
  thread_pool pool;
  warm_up(pool);
  job_group other{pool};
  other.run([] {});
  int runs = 0;
  const test::no_alloc_scope no_alloc;
  for (int i = 0; i < 1'000; ++i) {
    job_group group{pool};
    for (int each = 0; each < 4; ++each) group.run([&runs] { ++runs; });
    group.wait();
  }
  EXPECT_EQ(runs, 4'000);
}

TEST(hot_paths, of_submitting_to_busy_workers_neither_allocate_nor_lock) {
  thread_pool pool{{.workers = 2}};
  warm_up(pool);
  const test::busy_worker first(pool);
  const test::busy_worker second(pool);
  atomic<int> runs{0};
  const test::no_alloc_scope no_alloc;
  const test::no_lock_scope no_lock;
  job_group group{pool};
  for (int i = 0; i < 100; ++i) group.run([&runs] { runs.fetch_add(1); });
  group.wait();
  EXPECT_EQ(runs.load(), 100);
}

}  // namespace
}  // namespace overture::hot_path_test
