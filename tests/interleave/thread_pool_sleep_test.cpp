// SPDX-License-Identifier: Zlib
//
// The shipped thread pool through all interleavings of small programs: who is woken besides the
// thread that a job needs, and who helps.
#include <gtest/gtest.h>

#include <memory>

#include "interleave/explored_pool.hpp"
#include "overture/base/function_ref.hpp"
#include "overture/jobs/parallel.hpp"
#include "overture/jobs/thread_pool.hpp"

namespace overture::thread_pool_sleep_test {
namespace {

using interleave::check;
using interleave::expect_clean_and_complete;
using interleave::expect_clean_nearby;
using interleave::explore;
using interleave::run;
using test::explored_pool;

// `then` may keep workers from sleeping, and calls what it is given while they may not.
void expect_all_awake(void (*then)(thread_pool& pool, function_ref<void()> look)) {
  expect_clean_and_complete(explore({.deviations = 1}, [then] {
    explored_pool explored(2, 1);
    run({[&] { explored.worker(0); }, [&] { explored.worker(1); },
         [&] {
           while (explored.pool->stats().parked_now != 2) interleave::let_others_run();
           then(*explored.pool, [&] {
             // The workers yield for ever from here on, so this thread may not wait for them.
             for (int i = 0; i < 40; ++i) interleave::let_others_run();
             check(explored.pool->stats().parked_now == 0, "all are awake");
           });
           explored.leave();
         }});
  }));
}

TEST(a_pool_in_all_interleavings, wakes_all_workers_when_none_may_sleep) {
  expect_all_awake([](thread_pool& pool, function_ref<void()> look) {
    pool.set_wake_policy(wake_policy::spin);
    look();
  });
}

TEST(a_pool_in_all_interleavings, wakes_all_workers_for_a_zone_in_which_none_may_sleep) {
  expect_all_awake([](thread_pool& pool, function_ref<void()> look) {
    const wake_zone zone(pool, wake_policy::spin);
    look();
  });
}

// Of two workers one at a time takes jobs of low priority, so that others find a worker.
TEST(a_pool_in_all_interleavings, keeps_a_worker_free_of_jobs_of_low_priority) {
  expect_clean_nearby([] {
    atomic<int> now{0};
    atomic<int> runs{0};
    explored_pool explored(2, 1);
    run({[&] { explored.worker(0); }, [&] { explored.worker(1); },
         [&] {
           for (int i = 0; i < 2; ++i) {
             explored.pool->submit(
                 [&] {
                   check(now.fetch_add(1) == 0, "one at a time");
                   now.fetch_sub(1);
                   runs.fetch_add(1);
                 },
                 nullptr, {.priority = job_priority::low});
           }
           while (runs.load() != 2) interleave::let_others_run();
           explored.leave();
         }});
  });
}

// While the only worker has a job of low priority it takes no other; a thread that waits does.
TEST(a_pool_in_all_interleavings, tells_a_waiter_of_a_job_that_no_worker_may_take) {
  expect_clean_nearby([] {
    atomic<int> runs{0};
    explored_pool explored(1, 2);
    auto owned = std::make_unique<job_group>(*explored.pool);
    job_group* const group = owned.get();
    group->begin_job();
    run({[&] { explored.worker(0); },
         [&] {
           group->wait();
           owned.reset();
           explored.leave();
         },
         [&] {
           explored.pool->submit(
               [&] {
                 while (runs.load() == 0) interleave::let_others_run();
               },
               nullptr, {.priority = job_priority::low});
           explored.pool->submit(
               [&] {
                 runs.fetch_add(1);
                 (void)group->end_job();
               },
               group, {.priority = job_priority::low});
           explored.leave();
         }});
  });
}

// The second waiter has no seat of its own. There is no worker, and no slot for guests.
TEST(a_pool_in_all_interleavings, lets_no_waiter_without_a_seat_miss_the_end_of_its_group) {
  expect_clean_nearby([] {
    explored_pool explored(0, 1, wake_policy::park, 0, 0);
    auto group = std::make_unique<job_group>(*explored.pool);
    group->begin_job();
    run({[&] { group->wait(); }, [&] { group->wait(); },
         [&] { group->run([&] { (void)group->end_job(); }); }});
    group.reset();
    explored.leave();
  });
}

// The half that the worker has taken forks again, and its first part waits for the second one. All
// threads see the latest values: a fork may otherwise be missed, and its own thread then runs it.
TEST(a_pool_in_all_interleavings, helps_with_what_a_thief_waits_for) {
  expect_clean_and_complete(explore({.stale_loads = 0, .deviations = 2}, [] {
    atomic<bool> stolen{false};
    atomic<bool> helped{false};
    const auto wait_for = [](const atomic<bool>& flag) {
      while (!flag.load() && interleave::exploring()) interleave::let_others_run();
    };
    explored_pool explored(1, 1);
    run({[&] { explored.worker(0); },
         [&] {
           parallel_invoke(
               *explored.pool, [&] { wait_for(stolen); },
               [&] {
                 stolen.store(true);
                 parallel_invoke(
                     *explored.pool, [&] { wait_for(helped); }, [&] { helped.store(true); });
               });
           explored.leave();
         }});
  }));
}

// Without workers the threads that help run the jobs, and one runs what another waits for.
TEST(a_pool_in_all_interleavings, lets_no_thread_that_helps_miss_a_job) {
  expect_clean_nearby([] {
    explored_pool explored(0, 1, wake_policy::park, 0, 0);
    atomic<int> value{0};
    run({[&] {
           check(explored.pool->help_until([&]() noexcept { return value.load() == 1; }, 0), "set");
         },
         [&] { explored.pool->submit([&] { value.store(1); }); }});
    explored.leave();
  });
}

TEST(a_pool_in_all_interleavings, tells_each_thread_that_helps_of_a_job_that_another_has_run) {
  expect_clean_nearby([] {
    explored_pool explored(0, 1, wake_policy::park, 0, 0);
    atomic<int> value{0};
    const auto help = [&] {
      check(explored.pool->help_until([&]() noexcept { return value.load() == 1; }, 0), "set");
    };
    run({help, help, [&] { explored.pool->submit([&] { value.store(1); }); }});
    explored.leave();
  });
}

}  // namespace
}  // namespace overture::thread_pool_sleep_test
