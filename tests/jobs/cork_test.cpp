// SPDX-License-Identifier: Zlib
//
// Jobs that are gathered: batches and corks.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "jobs/pool_test_support.hpp"
#include "overture/jobs/job_batch.hpp"
#include "overture/sync/wait_observer.hpp"
#include "overture/trace/timeline.hpp"
#include "support/wake_calls.hpp"

namespace overture::cork_test {
namespace {

// Forgets what it is given, without taking it along.
class forgetful final : public job_system {
 public:
  void submit(job /*work*/, job_group* /*group*/,
              const job_options& /*options*/) noexcept override {}
  void submit_all(std::span<job> work, job_group* /*group*/,
                  const job_options& /*options*/) noexcept override {
    seen += work.size();
  }
  void wait(job_group& /*group*/) noexcept override {}
  bool wait_until(job_group& /*group*/, std::uint64_t /*deadline_ns*/) noexcept override {
    return true;
  }
  [[nodiscard]] unsigned concurrency() const noexcept override { return 1; }
  void set_idle_reason(const char* /*reason*/) noexcept override {}

  std::size_t seen = 0;
};

// Counts how often it was moved, into a count that all of its lives share.
class traveller {
 public:
  explicit traveller(int& moves) noexcept : moves_(&moves) {}
  traveller(traveller&& other) noexcept : moves_(other.moves_) { ++*moves_; }
  traveller(const traveller&) = delete;
  traveller& operator=(traveller&&) = delete;
  traveller& operator=(const traveller&) = delete;
  ~traveller() = default;
  void operator()() const {}

 private:
  int* moves_;
};

TEST(a_batch, makes_a_job_where_it_stays) {
  int moves = 0;
  forgetful system;
  job_batch batch{system};
  batch.add(traveller(moves));
  EXPECT_EQ(moves, 1);  // into the job
  batch.add(job(traveller(moves)));
  EXPECT_EQ(moves, 3);  // and with the job
}

TEST(a_group, hands_a_job_on_without_a_copy_of_its_own) {
  int moves = 0;
  forgetful system;
  job_group group{system};
  group.run(traveller(moves));
  EXPECT_EQ(moves, 1);
}

TEST(a_batch, ends_what_a_system_has_left_in_it) {
  const auto held = std::make_shared<int>(0);
  forgetful system;
  {
    job_batch batch{system};
    for (int i = 0; i < 70; ++i) batch.add([held] {});
    EXPECT_EQ(system.seen, 64u);
    EXPECT_EQ(held.use_count(), 7);
  }
  EXPECT_EQ(system.seen, 70u);
  EXPECT_EQ(held.use_count(), 1);
}

TEST(a_batch, starts_its_jobs_at_the_kick_in_their_order) {
  std::vector<int> order;
  thread_pool pool;
  job_group group{pool};
  job_batch batch{pool, &group};
  for (int i = 0; i < 40; ++i) batch.add([&order, i] { order.push_back(i); });
  EXPECT_EQ(group.pending(), 0u);
  batch.kick();
  EXPECT_EQ(group.pending(), 40u);
  group.wait();
  std::vector<int> expected(40);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

TEST(a_batch, runs_any_number_from_inside_and_outside) {
  thread_pool pool{{.workers = 2}};
  atomic<int> runs{0};
  const auto many = [&](job_group& group) {
    job_batch batch{pool, &group};
    for (int i = 0; i < 1000; ++i) batch.add([&runs] { runs.fetch_add(1); });
  };
  job_group group{pool};
  many(group);
  group.run([&] { many(group); });
  group.wait();
  EXPECT_EQ(runs.load(), 2000);
}

TEST(a_batch, wakes_one_worker_at_most_by_itself) {
  thread_pool pool{{.workers = 4}};
  test::await_parked(pool);
  std::vector<job> jobs;
  atomic<int> runs{0};
  for (int i = 0; i < 30; ++i) jobs.emplace_back([&runs] { runs.fetch_add(1); });
  const std::uint64_t calls = test::wake_calls();
  job_group group{pool};
  pool.submit_all(jobs, &group);
  // Others may have been woken by those workers meanwhile, so only the upper bound is certain.
  EXPECT_LE(test::wake_calls() - calls, 5u);
  group.wait();
  EXPECT_EQ(runs.load(), 30);
}

TEST(a_cork, holds_jobs_back_until_it_ends) {
  thread_pool pool;
  int runs = 0;
  {
    const cork gathered(pool);
    for (int i = 0; i < 10; ++i) pool.submit([&runs] { ++runs; });
    // try_help() flushes, so it is not called here.
    EXPECT_EQ(pool.stats().jobs_run, 0u);
  }
  while (pool.try_help()) {
  }
  EXPECT_EQ(runs, 10);
}

TEST(a_cork, lets_go_before_a_wait_for_a_group) {
  thread_pool pool;
  const cork gathered(pool);
  int runs = 0;
  job_group group{pool};
  for (int i = 0; i < 100; ++i) group.run([&runs] { ++runs; });
  group.wait();
  EXPECT_EQ(runs, 100);
}

// Not only before it sleeps: here it never does.
TEST(a_cork, lets_go_before_a_wait_whose_time_is_up) {
  thread_pool pool;
  const cork gathered(pool);
  int runs = 0;
  job_group group{pool};
  group.run([&runs] { ++runs; });
  EXPECT_TRUE(group.wait_until(1));
  EXPECT_EQ(runs, 1);
}

TEST(a_cork, lets_go_before_its_thread_lends_a_hand) {
  thread_pool pool;
  const cork outer(pool);
  int runs = 0;
  pool.submit([&runs] { ++runs; });
  const cork inner(pool);
  EXPECT_TRUE(pool.try_help());
  EXPECT_EQ(runs, 1);
}

TEST(a_cork, lets_go_before_jobs_of_the_main_thread_run) {
  thread_pool pool{{.workers = 1}};
  const cork gathered(pool);
  atomic<bool> done{false};
  pool.submit([&done] { done.store(true); });
  EXPECT_EQ(pool.pump(0), 0u);
  while (!done.load()) yield_thread();
}

TEST(a_cork, lets_go_before_any_other_wait) {
  thread_pool pool{{.workers = 1}};
  const cork outer(pool);
  const cork inner(pool);
  barricade done;
  pool.submit([&done] { done.lower(); });
  done.wait();
}

// Where there is no room those jobs run as the cork ends, and may gather and wait themselves.
TEST(a_cork, of_a_full_pool_lets_go_before_its_thread_counts_as_asleep) {
  thread_pool full{{.queued_max = 1}};
  job_group group(full);
  job_group never(full);
  group.begin_job();
  never.begin_job();
  const auto gathers_two = [&] {
    group.run([] {});
    group.run([&never] { EXPECT_FALSE(never.wait_until(now_ns() + 1'000'000)); });
  };
  group.run(gathers_two);  // for the thread that waits
  bool is_full = false;
  while (!is_full) full.submit([&is_full] { is_full = true; });
  const cork gathered(full);
  group.run(gathers_two);  // for the cork
  do {
    EXPECT_FALSE(group.wait_until(now_ns() + 20'000'000));
  } while (group.pending() != 1);  // on a busy machine time may be up before all have run
  EXPECT_TRUE(group.end_job());
  EXPECT_TRUE(never.end_job());
}

TEST(a_cork, that_ends_leaves_a_timeline_that_was_attached_inside_of_it) {
  thread_pool pool;
  timeline record;
  {
    const cork gathered(pool);
    ASSERT_TRUE(record.attach_thread("main"));
  }
  {
    const observed_wait wait("a reason");
  }
  record.detach_thread();
  EXPECT_EQ(current_wait_observer(), nullptr);
  ASSERT_EQ(record.track(0).totals().size(), 1u);
  EXPECT_STREQ(record.track(0).totals()[0].name, "a reason");
}

TEST(a_cork, that_ends_brings_no_timeline_back_that_was_detached_inside_of_it) {
  thread_pool pool;
  timeline record;
  ASSERT_TRUE(record.attach_thread("main"));
  {
    const cork gathered(pool);
    record.detach_thread();
    EXPECT_NE(current_wait_observer(), nullptr) << "that of the cork";
  }
  EXPECT_EQ(current_wait_observer(), nullptr);
}

TEST(a_cork, gathers_for_its_own_pool_only) {
  thread_pool corked;
  thread_pool other{{.workers = 1}};
  const cork gathered(corked);
  atomic<bool> done{false};
  other.submit([&done] { done.store(true); });
  while (!done.load()) yield_thread();
}

}  // namespace
}  // namespace overture::cork_test
