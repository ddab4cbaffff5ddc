// SPDX-License-Identifier: Zlib
//
// A thread that waits helps with its own group, with all of it, and with nothing else.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "jobs/pool_test_support.hpp"
#include "support/recording_observer.hpp"

namespace overture::group_wait_test {
namespace {

using test::await_sleepers;
using test::busy_worker;

TEST(group_wait, runs_no_job_of_another_group) {
  thread_pool pool;
  int foreign = 0;
  job_group other{pool};
  for (int i = 0; i < 10; ++i) {
    pool.submit([&foreign] { ++foreign; }, nullptr);
    other.run([&foreign] { ++foreign; });
  }
  job_group group{pool};
  int own = 0;
  for (int i = 0; i < 10; ++i) group.run([&own] { ++own; });
  group.wait();
  EXPECT_EQ(own, 10);
  EXPECT_EQ(foreign, 0);
  other.wait();
  EXPECT_EQ(foreign, 10);
}

thread_local bool waiting_here = false;

TEST(group_wait, runs_no_foreign_job_inside_a_worker_either) {
  thread_pool pool{{.workers = 1}};
  atomic<bool> disturbed{false};
  job_group foreign{pool};
  job_group outer{pool};
  const auto disturb = [&] {
    if (waiting_here) disturbed = true;
  };
  outer.run([&] {
    foreign.run(disturb);
    job_group group{pool};
    group.run([] {});
    foreign.run(disturb);
    waiting_here = true;
    group.wait();
    waiting_here = false;
  });
  outer.wait();
  foreign.wait();
  EXPECT_FALSE(disturbed);
}

TEST(group_wait, finds_a_job_that_lies_under_foreign_ones) {
  thread_pool pool{{.workers = 1}};
  busy_worker busy(pool);
  job_group group{pool};
  atomic<int> foreign{0};
  int own = 0;
  for (int i = 0; i < 50; ++i) {
    group.run([&own] { ++own; });
    pool.submit([&foreign] { foreign.fetch_add(1); }, nullptr);
  }
  group.wait();
  EXPECT_EQ(own, 50);
  EXPECT_EQ(foreign.load(), 0);
}

// More of them than a waiter looks at before it is about to sleep.
TEST(group_wait, finds_a_job_behind_a_thousand_foreign_ones_of_another_thread) {
  thread_pool pool;
  job_group foreign{pool};
  job_group wanted{pool};
  int runs = 0;
  std::thread([&] {
    for (int i = 0; i < 1000; ++i) foreign.run([&runs] { runs += 2; });
    for (int i = 0; i < 2; ++i) wanted.run([&runs] { ++runs; });
  }).join();
  wanted.wait();
  EXPECT_EQ(runs, 2);
  foreign.wait();
}

TEST(group_wait, finds_a_job_that_lies_under_foreign_ones_of_its_own_worker) {
  thread_pool pool{{.workers = 1}};
  int own = 0;
  int foreign = 0;
  barricade done;
  pool.submit(
      [&] {
        job_group group{pool};
        for (int i = 0; i < 50; ++i) {
          group.run([&own] { ++own; });
          pool.submit([&foreign] { ++foreign; }, nullptr);
        }
        group.wait();
        EXPECT_EQ(own, 50);
        EXPECT_EQ(foreign, 0);
        done.lower();
      },
      nullptr);
  done.wait();
}

TEST(group_wait, finds_a_job_in_the_queue_of_a_worker_that_is_stuck) {
  thread_pool pool{{.workers = 1}};
  job_group group{pool};
  barricade queued;
  barricade door;
  barricade gone;
  pool.submit(
      [&] {
        pool.submit([] {}, nullptr);
        group.run([&door] { door.lower(); });
        pool.submit([] {}, nullptr);
        queued.lower();
        door.wait();
        gone.lower();
      },
      nullptr);
  queued.wait();
  group.wait();
  gone.wait();
}

// A job that waits for a group of its own, whose only job does so too.
struct nest_of_waits {
  job_system& system;
  std::function<void()> innermost;
  atomic<int> waits{0};

  void operator()(int left) {
    if (left == 0) return innermost();
    job_group group{system};
    group.run([this, left] { (*this)(left - 1); });
    group.wait();
    waits.fetch_add(1);
  }
};

TEST(group_wait, nests_a_thousand_deep) {
  thread_pool pool{{.workers = 2}};
  nest_of_waits down{pool, [] {}};
  down(1000);
  EXPECT_EQ(down.waits.load(), 1000);
}

// With the worker busy all of them lie on one stack, and above the last one lies a wait that
// sleeps: its job is being run elsewhere.
TEST(group_wait, may_sleep_on_top_of_a_thousand_others) {
  thread_pool pool{{.workers = 1}};
  barricade begun;
  sync_detail::wait_counts before;
  atomic<bool> waits{false};
  job_group held{pool};
  held.run([&] {
    begun.lower();
    while (!waits.load()) yield_thread();
    await_sleepers(before, 1);
  });
  begun.wait();
  nest_of_waits down{pool, [&] {
                       before = sync_detail::wait_layer::counts();
                       waits.store(true);
                       held.wait();
                     }};
  down(1000);
  EXPECT_EQ(down.waits.load(), 1000);
}

TEST(group_wait, does_not_slow_down_while_a_foreign_job_lies_in_front) {
  thread_pool pool;
  int foreign = 0;
  pool.submit([&foreign] { ++foreign; }, nullptr);
  // Each round leaves a record behind the foreign one. Were they never cleaned up, this would take
  // a long walk each time, and all memory in the end.
  job_group group{pool};
  int own = 0;
  for (int i = 0; i < 200'000; ++i) {
    group.run([&own] { ++own; });
    group.wait();
  }
  EXPECT_EQ(own, 200'000);
  EXPECT_EQ(foreign, 0);
}

TEST(group_wait, is_woken_by_a_job_that_comes_later) {
  thread_pool pool;
  job_group group{pool};
  barricade door;
  const sync_detail::wait_counts before = sync_detail::wait_layer::counts();
  group.run([&door] { door.wait(); });
  std::thread first([&group] { group.wait(); });  // runs the job and blocks in it
  await_sleepers(before, 1);
  std::thread second([&group] { group.wait(); });  // finds nothing to run
  await_sleepers(before, 2);
  group.run([&door] { door.lower(); });  // only the second can run this
  first.join();
  second.join();
}

TEST(group_wait, wakes_all_waiters_when_the_group_has_ended) {
  thread_pool pool{{.workers = 1}};
  for (int round = 0; round < 20; ++round) {
    busy_worker busy(pool);
    auto group = std::make_unique<job_group>(pool);
    barricade started;
    barricade door;
    const sync_detail::wait_counts before = sync_detail::wait_layer::counts();
    group->run([&] {
      started.lower();
      door.wait();
    });
    busy.release();
    started.wait();
    await_sleepers(before, 1);
    std::vector<std::thread> waiters;
    for (int i = 0; i < 4; ++i) waiters.emplace_back([&group] { group->wait(); });
    await_sleepers(before, 5);
    door.lower();
    for (auto& thread : waiters) thread.join();
    group.reset();
  }
}

TEST(group_wait, lets_more_threads_sleep_than_have_a_seat_of_their_own) {
  constexpr std::size_t threads = limits::pool_helpers_max + 5;
  thread_pool pool;
  std::optional<job_group> group(pool);
  const sync_detail::wait_counts before = sync_detail::wait_layer::counts();
  barricade door;
  group->run([&door] { door.wait(); });
  std::vector<std::thread> waiters;
  for (std::size_t i = 0; i < threads; ++i) {
    waiters.emplace_back([&group] { group->wait(); });
  }
  await_sleepers(before, threads);  // one of them in the job
  door.lower();
  for (auto& thread : waiters) thread.join();
  group.reset();
}

TEST(group_wait, of_a_thread_without_a_seat_helps_its_group_and_ends_in_time) {
  thread_pool pool;
  job_group busy{pool};
  const sync_detail::wait_counts before = sync_detail::wait_layer::counts();
  barricade door;
  busy.run([&door] { door.wait(); });
  std::vector<std::thread> seated;
  for (std::size_t i = 0; i < limits::pool_helpers_max + 3; ++i) {
    seated.emplace_back([&busy] { busy.wait(); });
  }
  await_sleepers(before, limits::pool_helpers_max + 3);
  job_group group{pool};
  barricade held;
  group.run([&held] { held.wait(); });
  std::thread first([&group] { group.wait(); });  // runs it
  await_sleepers(before, limits::pool_helpers_max + 4);
  std::thread second([&group] { group.wait(); });
  await_sleepers(before, limits::pool_helpers_max + 5);
  EXPECT_FALSE(group.wait_until(now_ns() + 2'000'000));
  barricade ran;
  group.run([&ran] { ran.lower(); });  // only the second can run it
  ran.wait();
  held.lower();
  first.join();
  second.join();
  door.lower();
  for (auto& thread : seated) thread.join();
}

TEST(group_wait, gives_up_when_time_runs_out) {
  thread_pool pool{{.workers = 1}};
  busy_worker busy(pool);
  job_group group{pool};
  barricade started;
  barricade door;
  std::thread runner([&] {
    group.run([&] {
      started.lower();
      door.wait();
    });
    group.wait();
  });
  started.wait();
  const std::uint64_t deadline_ns = now_ns() + 2'000'000;
  EXPECT_FALSE(group.wait_until(deadline_ns));
  EXPECT_GE(now_ns(), deadline_ns);
  EXPECT_FALSE(group.wait_until(1));
  EXPECT_EQ(group.pending(), 1u);
  door.lower();
  EXPECT_TRUE(group.wait_until(0));
  EXPECT_TRUE(group.wait_until(1));
  runner.join();
}

TEST(group_wait, runs_one_job_and_no_second_once_time_is_up) {
  thread_pool pool;
  job_group group{pool};
  int runs = 0;
  for (int i = 0; i < 3; ++i) group.run([&runs] { ++runs; });
  EXPECT_FALSE(group.wait_until(1));
  EXPECT_EQ(runs, 1);
  EXPECT_FALSE(group.wait_until(1));
  EXPECT_TRUE(group.wait_until(1)) << "that was the last one";
  EXPECT_EQ(runs, 3);
}

TEST(group_wait, reports_its_reason_only_if_it_sleeps) {
  thread_pool pool{{.workers = 1}};
  const test::recording_observer observer;
  {
    job_group group{pool};
    group.wait();
    EXPECT_EQ(observer.begun.load(), 0);
  }
  const auto sleep_in_wait = [&pool, &observer] {
    job_group group{pool};
    barricade started;
    barricade door;
    const int begun = observer.begun.load();
    group.run([&] {
      started.lower();
      door.wait();
    });
    while (!started.is_lowered()) yield_thread();  // without a wait of this thread's own
    std::thread opener([&] {
      while (observer.begun.load() == begun) yield_thread();
      door.lower();
    });
    group.wait();
    opener.join();
  };
  test::await_parked(pool);
  sleep_in_wait();
  EXPECT_GE(observer.begun.load(), 1);
  EXPECT_EQ(observer.begun.load(), observer.ended.load());
  EXPECT_STREQ(observer.last_reason.load(), wait_reasons::group);
  pool.set_idle_reason("a reason");
  test::await_parked(pool);
  sleep_in_wait();
  EXPECT_STREQ(observer.last_reason.load(), "a reason");
}

}  // namespace
}  // namespace overture::group_wait_test
