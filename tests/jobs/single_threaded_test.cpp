// SPDX-License-Identifier: Zlib
#include "overture/jobs/single_threaded.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "overture/base/thread.hpp"
#include "overture/jobs/parallel.hpp"
#include "support/failing_allocator.hpp"

namespace overture::single_threaded_test {
namespace {

std::vector<int> order_with(std::uint64_t seed) {
  single_threaded jobs{{.seed = seed}};
  job_group group(jobs);
  std::vector<int> order;
  for (int i = 0; i < 20; ++i) {
    group.run([&order, &group, i] {
      order.push_back(i);
      if (i % 5 == 0) group.run([&order, i] { order.push_back(100 + i); });
    });
  }
  group.wait();
  return order;
}

TEST(single_threaded, runs_in_the_order_of_submission_without_a_seed) {
  std::vector<int> expected;
  for (int i = 0; i < 20; ++i) expected.push_back(i);
  for (int i = 0; i < 20; i += 5) expected.push_back(100 + i);
  EXPECT_EQ(order_with(0), expected);
}

TEST(single_threaded, gives_the_same_order_for_the_same_seed) {
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<int> order = order_with(seed);
    EXPECT_EQ(order, order_with(seed));
    EXPECT_EQ(order.size(), 24u);
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 15u) << "other seeds, other orders";
}

TEST(single_threaded, runs_high_before_normal_before_low) {
  for (const std::uint64_t seed : {0u, 7u}) {
    single_threaded jobs{{.seed = seed}};
    std::vector<int> order;
    jobs.submit([&] { order.push_back(3); }, nullptr, {.priority = job_priority::low});
    jobs.submit([&] { order.push_back(2); });
    jobs.submit([&] { order.push_back(1); }, nullptr, {.priority = job_priority::high});
    jobs.run_all();
    EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
  }
}

TEST(single_threaded, takes_either_half_of_a_fork_first) {
  std::set<int> firsts;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    single_threaded jobs{{.seed = seed}};
    int first = 0;
    parallel_invoke(
        jobs, [&] { first = first == 0 ? 1 : first; }, [&] { first = first == 0 ? 2 : first; });
    firsts.insert(first);
  }
  EXPECT_EQ(firsts, (std::set<int>{1, 2}));
}

TEST(single_threaded, waits_with_jobs_of_the_group_only) {
  single_threaded jobs;
  job_group mine(jobs);
  job_group others(jobs);
  int order = 0;
  int other_at = 0;
  others.run([&] { other_at = ++order; });
  mine.run([&] { ++order; });
  mine.wait();
  EXPECT_EQ(other_at, 0);
  EXPECT_TRUE(jobs.try_help());
  EXPECT_FALSE(jobs.try_help());
  EXPECT_EQ(other_at, 2);
}

TEST(single_threaded, runs_jobs_that_other_threads_submit_on_its_own) {
  single_threaded jobs;
  job_group group(jobs);
  const auto here = std::this_thread::get_id();
  std::thread::id ran_on;
  group.begin_job();  // so that the wait below begins before the job is there
  std::thread other([&] {
    group.run([&] { ran_on = std::this_thread::get_id(); });
    jobs.submit([&group] { (void)group.end_job(); }, &group);
    EXPECT_FALSE(jobs.try_help());
    group.wait();
  });
  group.wait();
  other.join();
  EXPECT_EQ(ran_on, here);
}

TEST(single_threaded, gives_up_at_a_deadline) {
  single_threaded jobs;
  job_group group(jobs);
  group.begin_job();
  EXPECT_FALSE(group.wait_until(now_ns() + 100'000));
  EXPECT_FALSE(group.wait_until(1));
  (void)group.end_job();
}

TEST(single_threaded, drops_what_is_cancelled) {
  auto owned = std::make_shared<int>(0);
  single_threaded jobs;
  job_group group(jobs);
  cancellation token;
  int runs = 0;
  group.run([&runs, owned] { ++runs; });
  group.cancel();
  jobs.submit([&runs, owned] { ++runs; }, nullptr, {.token = &token});
  token.cancel();
  jobs.run_all();
  group.wait();
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(owned.use_count(), 1);
  EXPECT_EQ(jobs.jobs_run(), 0u);
}

TEST(single_threaded, ends_as_it_was_told) {
  for (const at_end told : {at_end::run, at_end::cancel}) {
    auto owned = std::make_shared<int>(0);
    int runs = 0;
    {
      single_threaded jobs{{.queued = told}};
      for (int i = 0; i < 10; ++i) {
        jobs.submit([&jobs, &runs, owned] {
          ++runs;
          if (runs == 1) jobs.submit([&runs] { ++runs; });
        });
      }
    }
    EXPECT_EQ(runs, told == at_end::run ? 11 : 0);
    EXPECT_EQ(owned.use_count(), 1);
  }
}

TEST(single_threaded, loses_nothing_that_must_not_be_lost_when_it_cancels) {
  int runs = 0;
  {
    single_threaded jobs{{.queued = at_end::cancel}};
    jobs.execute({[](void* context) { ++*static_cast<int*>(context); }, &runs});
    jobs.submit([&runs] { runs += 10; }, nullptr, {.always = true});
    jobs.submit([&runs] { runs += 100; });
  }
  EXPECT_EQ(runs, 11);
}

TEST(single_threaded, refuses_a_wait_that_could_not_end) {
  int refused = 0;
  single_threaded jobs{{.hooks = {.wait_refused =
                                      [](void* context, const char* waiting, const char* below) {
                                        ++*static_cast<int*>(context);
                                        EXPECT_STREQ(waiting, "inner");
                                        EXPECT_STREQ(below, "outer");
                                      },
                                  .context = &refused}}};
  job_group outer(jobs);
  job_group inner(jobs);
  outer.run(
      [&] {
        inner.run([&] { outer.wait(); }, {.name = "inner"});
        inner.wait();
      },
      {.name = "outer"});
  outer.wait();
  EXPECT_EQ(refused, 1);
}

TEST(single_threaded, reports_a_job_that_throws) {
  const char* name = nullptr;
  single_threaded jobs{
      {.hooks = {.job_threw = [](void* context, const char* job_name,
                                 const char*) { *static_cast<const char**>(context) = job_name; },
                 .context = &name}}};
  jobs.submit([] { throw 1; }, nullptr, {.name = "decode"});
  jobs.run_all();
  EXPECT_STREQ(name, "decode");
}

TEST(single_threaded, pumps_within_a_budget) {
  single_threaded jobs;
  int runs = 0;
  for (int i = 0; i < 5; ++i) jobs.submit([&runs] { ++runs; });
  EXPECT_EQ(jobs.pump(0), 1u);
  EXPECT_EQ(jobs.pump(UINT64_MAX), 4u);
  EXPECT_EQ(runs, 5);
}

TEST(single_threaded, runs_jobs_at_once_where_memory_is_refused) {
  failing_allocator memory(1);  // the system itself and no queue
  single_threaded jobs{{.memory = &memory}};
  job_group group(jobs);
  int runs = 0;
  group.run([&runs] { ++runs; });
  EXPECT_EQ(runs, 1);
  group.wait();
  EXPECT_EQ(group.pending(), 0u);
}

TEST(single_threaded, runs_a_hundred_thousand_queued_jobs) {
  for (const std::uint64_t seed : {0u, 3u}) {
    single_threaded jobs{{.seed = seed}};
    job_group group(jobs);
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < 100'000; ++i) group.run([&sum, i] { sum += i; });
    group.wait();
    EXPECT_EQ(sum, 99'999ull * 50'000);
  }
}

}  // namespace
}  // namespace overture::single_threaded_test
