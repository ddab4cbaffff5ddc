// SPDX-License-Identifier: Zlib
//
// A pool without workers: whoever waits for a future runs the work that it comes from.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "jobs/pool_test_support.hpp"
#include "overture/jobs/coroutine.hpp"
#include "overture/jobs/job_batch.hpp"
#include "overture/jobs/single_threaded.hpp"
#include "overture/jobs/thread_pool.hpp"
#include "overture/sync/when.hpp"

namespace overture::help_test {
namespace {

using namespace std::chrono_literals;

// Refuses to start threads, as a system does that has run out of them.
class no_threads final : public thread_factory {
 public:
  result<thread_handle> start(const thread_options&, void (*)(void*) noexcept, void*) override {
    return fail(errc::limit, "no threads");
  }
  void join(thread_handle) noexcept override {}
};

enum class kind { no_workers, refused, single_threaded };

class helping : public ::testing::TestWithParam<kind> {
 protected:
  helping() {
    if (GetParam() == kind::single_threaded) {
      system_ = std::make_unique<single_threaded>();
    } else if (GetParam() == kind::refused) {
      system_ = std::make_unique<thread_pool>(thread_pool_config{.workers = 3, .threads = &none_});
    } else {
      system_ = std::make_unique<thread_pool>();
    }
  }
  job_system& jobs() { return *system_; }

  template <class T>
  shared_future<T> later(T value) {
    auto made = promise<T>::make();
    made->comes_from(jobs());
    shared_future<T> future = made->future();
    jobs().submit([p = std::move(*made), value]() mutable { p.set_value(value); });
    return future;
  }

 private:
  no_threads none_;
  std::unique_ptr<job_system> system_;
};

INSTANTIATE_TEST_SUITE_P(systems, helping,
                         ::testing::Values(kind::no_workers, kind::refused, kind::single_threaded),
                         [](const auto& each) {
                           return each.param == kind::no_workers ? "no_workers"
                                  : each.param == kind::refused  ? "refused"
                                                                 : "single_threaded";
                         });

TEST_P(helping, a_wait_runs_the_work_that_the_future_comes_from) {
  const shared_future<int> future = later(7);
  EXPECT_FALSE(future.is_ready()) << "no thread waits yet";
  EXPECT_EQ(future.get().value(), 7);
}

TEST_P(helping, a_wait_without_time_makes_progress) {
  const shared_future<int> future = later(7);
  EXPECT_TRUE(future.wait_for(0ns));
  auto never = promise<int>::make();
  never->comes_from(jobs());
  EXPECT_FALSE(never->future().wait_for(1ms));
}

TEST_P(helping, then_runs_in_the_wait_for_its_future) {
  const shared_future<int> future = later(7);
  auto twice = future.then(jobs(), [](const result<int>& value) { return *value * 2; });
  auto more = twice->then(jobs(), [](const result<int>& value) { return *value + 1; });
  EXPECT_EQ(more->get().value(), 15);
}

// The continuation runs where the value is set; the work before it lies on the pool.
TEST_P(helping, then_on_an_executor_with_threads_helps_the_work_before_it) {
  thread_pool others{{.workers = 1}};
  const shared_future<int> future = later(7);
  auto twice = future.then(others, [](const result<int>& value) { return *value * 2; });
  EXPECT_EQ(twice->get().value(), 14);
}

TEST_P(helping, when_all_and_when_any_know_where_the_work_lies) {
  const std::vector<shared_future<int>> both{later(1), later(2)};
  const auto all = when_all<int>(both);
  EXPECT_TRUE(all->get());
  const std::vector<shared_future<int>> one{later(3)};
  EXPECT_EQ(when_any<int>(one)->get().value(), 0u);
}

co_task<int> sum(job_system& jobs, shared_future<int> left, shared_future<int> right) {
  const int first = *co_await left;
  const result<int> second = co_await run_job(jobs, [&right] { return *right.get(); });
  co_return first + *second;
}

TEST_P(helping, a_coroutine_runs_in_the_wait_for_its_future) {
  const auto spawned = spawn(jobs(), sum(jobs(), later(3), later(4)));
  ASSERT_TRUE(spawned);
  EXPECT_EQ(spawned->get().value(), 7);
}

co_task<int> ends_elsewhere(job_system& other) {
  co_return *co_await run_job(other, [] { return 6; });
}

TEST_P(helping, a_coroutine_that_ends_in_another_pool_is_noticed) {
  thread_pool other{{.workers = 1}};
  const auto spawned = spawn(jobs(), ends_elsewhere(other));
  ASSERT_TRUE(spawned);
  EXPECT_EQ(spawned->get().value(), 6);
}

TEST_P(helping, a_value_from_another_thread_is_noticed) {
  auto made = promise<int>::make();
  made->comes_from(jobs());
  const shared_future<int> future = made->future();
  std::thread other([&] { made->set_value(8); });
  EXPECT_EQ(future.get().value(), 8);
  other.join();
}

TEST_P(helping, a_group_runs_in_the_wait_for_a_future_on_it) {
  job_group group(jobs());
  const shared_future<int> future = later(5);
  auto twice = future.then(group, [](const result<int>& value) { return *value * 2; });
  EXPECT_EQ(twice->get().value(), 10);
  group.wait();
}

TEST_P(helping, a_thread_that_sleeps_notices_work_that_another_adds) {
  auto made = promise<int>::make();
  made->comes_from(jobs());
  const shared_future<int> future = made->future();
  std::thread other([&] { jobs().submit([&] { made->set_value(9); }); });
  EXPECT_EQ(future.get().value(), 9);
  other.join();
}

TEST_P(helping, a_job_that_waits_for_a_future_runs_the_jobs_it_comes_from) {
  const shared_future<int> outer =
      later(1)
          .then(jobs(), [this](const result<int>& one) { return *one + *later(2).get(); })
          .value();
  EXPECT_EQ(outer.get().value(), 3);
}

TEST_P(helping, a_wait_for_a_group_leaves_other_jobs_alone) {
  const shared_future<int> other = later(1);
  job_group group(jobs());
  bool has_run = false;
  group.run([&] { has_run = true; });
  group.wait();
  EXPECT_TRUE(has_run);
  EXPECT_FALSE(other.is_ready());
}

TEST(a_pool_without_workers, starts_gathered_jobs_before_a_wait) {
  thread_pool jobs;
  auto made = promise<int>::make();
  made->comes_from(jobs);
  const shared_future<int> future = made->future();
  const cork gathers(jobs);
  jobs.submit([&] { made->set_value(4); });
  EXPECT_EQ(future.get().value(), 4);
}

// Not for single_threaded, whose jobs run on one thread only.
TEST(a_pool_without_workers, serves_several_threads_that_wait) {
  for (int round = 0; round < 200; ++round) {
    thread_pool jobs;
    std::vector<shared_future<int>> futures;
    for (int i = 0; i < 4; ++i) {
      auto made = promise<int>::make();
      made->comes_from(jobs);
      futures.push_back(made->future());
      jobs.submit([p = std::move(*made), i]() mutable { p.set_value(i); });
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back(
          [&, i] { EXPECT_EQ(futures[static_cast<std::size_t>(3 - i)].get().value(), 3 - i); });
    }
    for (std::thread& each : threads) each.join();
  }
}

TEST(a_pool_with_workers, lets_them_do_the_work) {
  thread_pool jobs{{.workers = 1}};
  EXPECT_FALSE(jobs.runs_in_waits());
  bool asked = false;
  EXPECT_FALSE(jobs.help_until([&]() noexcept { return asked = true; }, 0));
  EXPECT_FALSE(asked);
  auto made = promise<int>::make();
  made->comes_from(jobs);
  const shared_future<int> future = made->future();
  const std::thread::id here = std::this_thread::get_id();
  std::thread::id ran_on = here;
  jobs.submit([&] {
    ran_on = std::this_thread::get_id();
    made->set_value(1);
  });
  EXPECT_EQ(future.get().value(), 1);
  EXPECT_NE(ran_on, here) << "a wait for a future helps with nothing";
}

TEST(a_pool_for_this_machine, has_a_worker_for_each_other_processor_and_one_at_least) {
  thread_pool jobs = thread_pool::for_this_machine({.workers = 77});
  EXPECT_EQ(jobs.workers(), std::max(1u, processor_count() - 1));
}

}  // namespace
}  // namespace overture::help_test
