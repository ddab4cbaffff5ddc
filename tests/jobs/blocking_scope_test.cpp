// SPDX-License-Identifier: Zlib
#include "overture/jobs/blocking_scope.hpp"

#include <gtest/gtest.h>

#include "jobs/pool_test_support.hpp"

namespace overture::blocking_scope_test {
namespace {

TEST(a_blocking_scope, lets_a_spare_worker_run_what_is_queued) {
  thread_pool pool{{.workers = 1, .spare_workers = 1}};
  EXPECT_EQ(pool.workers(), 1u);
  for (int round = 0; round < 50; ++round) {
    barricade ran;
    barricade done;
    pool.submit([&] {
      pool.submit([&ran] { ran.lower(); });  // behind this one, on the same worker's queue
      const blocking_scope here;
      ran.wait();
      done.lower();
    });
    done.wait();
  }
}

TEST(a_blocking_scope, wakes_a_spare_for_work_that_comes_later) {
  thread_pool pool{{.workers = 1, .spare_workers = 1}};
  barricade blocked;
  barricade ran;
  barricade done;
  pool.submit([&] {
    {
      const blocking_scope here;
      blocked.lower();
      ran.wait();
    }
    done.lower();
  });
  blocked.wait();
  pool.submit([&ran] { ran.lower(); });
  done.wait();
}

// Among the workers it would be woken for a job of theirs.
TEST(spare_workers, rest_elsewhere_once_no_job_blocks) {
  thread_pool pool{{.workers = 1, .spare_workers = 1}};
  std::uint64_t parks = 0;
  barricade done;
  pool.submit([&] {
    {
      const blocking_scope here;
      while (pool.stats().parked_now != 1) yield_thread();  // the spare: this worker is here
      parks = pool.stats().parks;
    }
    done.lower();
  });
  done.wait();
  while (pool.stats().parks == parks) yield_thread();  // the worker, which goes to sleep
  test::await_parked(pool);                            // it alone
}

TEST(spare_workers, run_nothing_while_no_job_blocks) {
  thread_pool pool{{.workers = 1, .spare_workers = 2}};
  const test::busy_worker busy(pool);
  atomic<int> runs{0};
  job_group group(pool);
  group.run([&runs] { runs.fetch_add(1); });
  // The only worker is busy: only this thread may take the job, if spares keep out.
  const std::uint64_t until_ns = now_ns() + 2'000'000;
  while (now_ns() < until_ns) yield_thread();
  EXPECT_EQ(runs.load(), 0);
  group.wait();
  EXPECT_EQ(runs.load(), 1);
}

TEST(a_blocking_scope, does_nothing_on_other_threads_and_inside_another_one) {
  thread_pool pool{{.workers = 1, .spare_workers = 1}};
  const blocking_scope here;
  parallel_for(pool, 0, 100, [](std::size_t) { const blocking_scope inside; }, 1);
  barricade done;
  pool.submit([&] {
    const blocking_scope outer;
    {
      const blocking_scope inner;
    }
    barricade ran;
    pool.submit([&ran] { ran.lower(); });
    ran.wait();
    done.lower();
  });
  done.wait();
}

TEST(a_blocking_scope, counts_inside_a_parallel_call_on_another_pool) {
  thread_pool pool{{.workers = 1, .spare_workers = 1}};
  thread_pool other;
  barricade done;
  pool.submit([&] {
    barricade ran;
    pool.submit([&ran] { ran.lower(); });
    parallel_invoke(
        other,
        [&ran] {
          const blocking_scope here;
          ran.wait();
        },
        [] {});
    done.lower();
  });
  done.wait();
}

TEST(a_pool, with_spare_workers_ends_while_they_rest_or_work) {
  for (int round = 0; round < 50; ++round) {
    atomic<int> runs{0};
    {
      thread_pool pool{{.workers = 2, .spare_workers = 2}};
      for (int i = 0; i < 8; ++i) {
        pool.submit([&runs] {
          const blocking_scope here;
          runs.fetch_add(1);
        });
      }
    }
    EXPECT_EQ(runs.load(), 8);
  }
}

}  // namespace
}  // namespace overture::blocking_scope_test
