// SPDX-License-Identifier: Zlib
//
// Jobs submitted one after the other while workers look for them, through all interleavings.
#include <gtest/gtest.h>

#include <array>

#include "interleave/explored_pool.hpp"
#include "overture/jobs/job_batch.hpp"
#include "overture/sync/barricade.hpp"

namespace overture::submit_order_test {
namespace {

using interleave::check;
using interleave::expect_clean_nearby;
using interleave::run;
using interleave::variable;
using test::explored_pool;

// One worker that looks for work all the time. The submitting thread does not help, so the worker
// starts all jobs, in their order. submit(pool, numbered) submits numbered(0), numbered(1), ...
template <class Submit>
void expect_order_with_a_worker_that_spins(int jobs, Submit submit) {
  expect_clean_nearby([&] {
    variable<int> runs(0);
    barricade over;
    explored_pool explored(1, 1, wake_policy::spin);
    const auto numbered = [&](int number) {
      return [&runs, &over, jobs, number] {
        check(runs.read() == number, "those before it have run, once");
        runs.write(number + 1);
        if (number == jobs - 1) over.lower();
      };
    };
    run({[&] { explored.worker(0); },
         [&] {
           submit(*explored.pool, numbered);
           over.wait({.spin = spin_policy::none()});
           explored.leave();
         }});
  });
}

TEST(a_pool_in_all_interleavings, starts_jobs_in_their_order_with_a_worker_that_spins) {
  expect_order_with_a_worker_that_spins(3, [](thread_pool& pool, auto numbered) {
    for (int i = 0; i < 3; ++i) pool.submit(numbered(i));
  });
}

TEST(a_pool_in_all_interleavings, starts_a_batch_in_its_order_with_a_worker_that_spins) {
  expect_order_with_a_worker_that_spins(4, [](thread_pool& pool, auto numbered) {
    pool.submit(numbered(0));
    job_batch batch(pool);
    for (const int number : {1, 2, 3}) batch.add(numbered(number));
  });
}

TEST(a_pool_in_all_interleavings, runs_each_job_once_with_two_workers_of_which_one_is_warm) {
  expect_clean_nearby([] {
    std::array<variable<int>, 3> runs{variable<int>(0), variable<int>(0), variable<int>(0)};
    atomic<int> left{3};
    barricade over;
    explored_pool explored(2, 1, wake_policy::warm);
    run({[&] { explored.worker(0); }, [&] { explored.worker(1); },
         [&] {
           for (variable<int>& each : runs) {
             explored.pool->submit([&] {
               each.write(each.read() + 1);
               if (left.fetch_sub(1) == 1) over.lower();
             });
           }
           over.wait({.spin = spin_policy::none()});
           for (const variable<int>& each : runs) check(each.read() == 1, "it ran once");
           explored.leave();
         }});
  });
}

}  // namespace
}  // namespace overture::submit_order_test
