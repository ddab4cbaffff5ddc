// Which processors workers keep off, and whom they interrupt.
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "base/processor.hpp"
#include "jobs/pool_state.hpp"
#include "jobs/pool_test_support.hpp"

namespace overture {
namespace {

using test::await_parked;

cpu_set_t allowed_to(pid_t thread) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  EXPECT_EQ(sched_getaffinity(thread, sizeof allowed, &allowed), 0);
  return allowed;
}

bool may_run_on(pid_t thread, unsigned processor) {
  const cpu_set_t allowed = allowed_to(thread);
  return CPU_ISSET(processor, &allowed);
}

bool may_run_as(pid_t thread, const cpu_set_t& expected) {
  const cpu_set_t allowed = allowed_to(thread);
  return CPU_EQUAL(&allowed, &expected);
}

void run_here_only(unsigned processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
}

// A pool of two workers, made by a thread that may run on the first processor only, and what the
// system calls their threads.
class keep_apart : public testing::Test {
 protected:
  void SetUp() override {
    all_ = allowed_to(0);
    unsigned* found = here_and_there_.data();
    for (unsigned i = 0; i < CPU_SETSIZE && found != here_and_there_.end(); ++i) {
      if (CPU_ISSET(i, &all_)) *found++ = i;
    }
  }
  void TearDown() override { sched_setaffinity(0, sizeof all_, &all_); }

  [[nodiscard]] unsigned here() const { return here_and_there_[0]; }
  [[nodiscard]] unsigned there() const { return here_and_there_[1]; }
  [[nodiscard]] bool has_several() const { return there() != no_processor; }

  [[nodiscard]] thread_pool_config config() {
    thread_pool_config wanted{.workers = 2};
    wanted.hooks.context = this;
    wanted.hooks.worker_begins = [](void* self, unsigned worker) {
      static_cast<keep_apart*>(self)->threads_[worker].store(gettid());
    };
    return wanted;
  }
  // Until so many of them have woken a worker that was asleep, and not only about to be.
  static void run_jobs(thread_pool& pool, unsigned wakes) {
    const std::uint64_t enough = pool.profile().paid_by_host + wakes;
    while (pool.profile().paid_by_host < enough) {
      await_parked(pool);
      atomic<bool> done{false};
      pool.submit([&done] { done.store(true); });
      while (!done.load()) yield_thread();
    }
    await_parked(pool);
  }
  // Either worker may be the one that is woken, and the first knows where the host is when it
  // sleeps the next time.
  bool keeps_off_soon(thread_pool& pool, unsigned processor) {
    constexpr int tries_most = 1000;
    for (int i = 0; i < tries_most && may_run_on(threads_[0], processor); ++i) run_jobs(pool, 1);
    return !may_run_on(threads_[0], processor);
  }

  cpu_set_t all_;
  std::array<unsigned, 2> here_and_there_{no_processor, no_processor};
  std::array<atomic<pid_t>, 2> threads_{};
};

TEST_F(keep_apart, the_first_worker_from_the_thread_that_made_the_pool) {
  if (!has_several()) return;
  thread_pool pool(config());
  run_here_only(here());
  EXPECT_TRUE(keeps_off_soon(pool, here()));
  EXPECT_TRUE(may_run_as(threads_[1], all_)) << "the others run where they like";
}

TEST_F(keep_apart, the_first_worker_also_where_that_thread_has_moved) {
  if (!has_several()) return;
  thread_pool pool(config());
  run_here_only(here());
  ASSERT_TRUE(keeps_off_soon(pool, here()));
  run_here_only(there());
  EXPECT_TRUE(keeps_off_soon(pool, there()));
  EXPECT_TRUE(may_run_on(threads_[0], here()));
}

TEST_F(keep_apart, from_no_other_thread_that_submits) {
  if (!has_several()) return;
  thread_pool pool(config());
  run_here_only(here());
  ASSERT_TRUE(keeps_off_soon(pool, here()));
  std::thread([&] {
    run_here_only(there());
    // Both workers run, and sleep once more behind a wake of this thread.
    for (int i = 0; i < 20; ++i) {
      run_jobs(pool, 1);
      atomic<int> begun{0};
      const auto meet = [&begun] {
        begun.fetch_add(1);
        while (begun.load() != 2) yield_thread();
      };
      job_group both(pool);
      both.run(meet);
      both.run(meet);
      while (begun.load() != 2) yield_thread();
      both.wait();
    }
    await_parked(pool);
  }).join();
  EXPECT_FALSE(may_run_on(threads_[0], here()));
  EXPECT_TRUE(may_run_on(threads_[0], there()));
}

TEST_F(keep_apart, nobody_where_the_pool_is_not_to) {
  thread_pool_config wanted = config();
  wanted.keeps_apart = false;
  thread_pool pool(wanted);
  run_here_only(here());
  run_jobs(pool, 20);
  for (const auto& each : threads_) {
    EXPECT_TRUE(may_run_as(each, all_));
    EXPECT_EQ(sched_getscheduler(each), sched_getscheduler(0));
  }
}

TEST_F(keep_apart, lets_all_workers_but_the_first_give_way) {
  thread_pool pool(config());
  await_parked(pool);
  EXPECT_EQ(sched_getscheduler(threads_[0]), sched_getscheduler(0));
  EXPECT_EQ(sched_getscheduler(threads_[1]), SCHED_BATCH);
}

// Both on one processor, and the worker may not leave it: it must be let off first.
TEST_F(keep_apart, ends_where_the_worker_is_in_a_crowd) {
  if (!has_several()) return;
  std::thread([this] {
    pool_place worker;
    ASSERT_TRUE(keep_off_processor(here(), no_processor));
    worker.avoids = worker.kept_off = here();
    pool_state::leave_crowd(worker);
    EXPECT_TRUE(may_run_as(0, all_));
    EXPECT_EQ(worker.avoids, no_processor) << "so that it keeps off again before it sleeps";
    EXPECT_EQ(worker.kept_off, no_processor);
  }).join();
}

}  // namespace
}  // namespace overture
