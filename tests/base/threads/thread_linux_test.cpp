// SPDX-License-Identifier: Zlib
#include "overture/base/thread.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

#include <atomic>
#include <string>

#include "base/threads/processor.hpp"

namespace overture {
using namespace base_detail;

namespace {

struct seen_by_thread {
  std::string name;
  cpu_set_t allowed;
  int policy = -1;
};

void look_around(void* raw) noexcept {
  auto& seen = *static_cast<seen_by_thread*>(raw);
  char name[16] = {};
  pthread_getname_np(pthread_self(), name, sizeof name);
  seen.name = name;
  sched_getaffinity(0, sizeof seen.allowed, &seen.allowed);
  seen.policy = sched_getscheduler(0);
}

TEST(thread_factory, gives_name_affinity_and_stack_and_joins) {
  seen_by_thread seen;
  const result<thread_handle> started = default_thread_factory().start(
      {.name = "loader", .affinity_mask = 1, .stack_bytes = 1}, look_around, &seen);
  ASSERT_TRUE(started);
  default_thread_factory().join(*started);
  EXPECT_EQ(seen.name, "loader");
  EXPECT_EQ(CPU_COUNT(&seen.allowed), 1);
}

TEST(thread_factory, gives_1_mib_of_stack_where_the_process_may_use_less) {
  pthread_attr_t before;
  ASSERT_EQ(pthread_getattr_default_np(&before), 0);
  pthread_attr_t small = before;
  ASSERT_EQ(pthread_attr_setstacksize(&small, 128u << 10), 0);
  ASSERT_EQ(pthread_setattr_default_np(&small), 0);
  std::size_t bytes = 0;
  const auto measure = [](void* seen) noexcept {
    pthread_attr_t own;
    void* lowest = nullptr;
    if (pthread_getattr_np(pthread_self(), &own) != 0) return;
    (void)pthread_attr_getstack(&own, &lowest, static_cast<std::size_t*>(seen));
    (void)pthread_attr_destroy(&own);
  };
  const result<thread_handle> started = default_thread_factory().start({}, measure, &bytes);
  ASSERT_TRUE(started);
  default_thread_factory().join(*started);
  (void)pthread_setattr_default_np(&before);
  EXPECT_GE(bytes, 1u << 20);
}

TEST(thread_factory, schedules_as_batch_only_threads_that_ask_for_it) {
  for (const bool batch : {false, true}) {
    seen_by_thread seen;
    const result<thread_handle> started =
        default_thread_factory().start({.batch_scheduling = batch}, look_around, &seen);
    ASSERT_TRUE(started);
    default_thread_factory().join(*started);
    EXPECT_EQ(seen.policy, batch ? SCHED_BATCH : sched_getscheduler(0));
  }
}

TEST(sharpen_timers, lets_timed_waits_of_this_thread_end_at_their_time) {
  int slack_ns = -1;
  const auto sharpen = [](void* seen) noexcept {
    sharpen_timers();
    *static_cast<int*>(seen) = prctl(PR_GET_TIMERSLACK);
  };
  const result<thread_handle> started = default_thread_factory().start({}, sharpen, &slack_ns);
  ASSERT_TRUE(started);
  default_thread_factory().join(*started);
  EXPECT_EQ(slack_ns, 1);
}

TEST(thread_factory, long_name_is_cut) {
  seen_by_thread seen;
  const result<thread_handle> started =
      default_thread_factory().start({.name = "a name that is much too long"}, look_around, &seen);
  ASSERT_TRUE(started);
  default_thread_factory().join(*started);
  EXPECT_EQ(seen.name, "a name that is ");
}

TEST(thread_factory, impossible_request_is_an_error_and_starts_no_thread) {
  static std::atomic<bool> ran{false};
  ran = false;
  const result<thread_handle> started = default_thread_factory().start(
      {.stack_bytes = std::size_t{1} << 60}, [](void*) noexcept { ran = true; }, nullptr);
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().os_error, 0);
  EXPECT_FALSE(ran);
}

TEST(clock, never_goes_back) {
  std::uint64_t last = now_ns();
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t now = now_ns();
    EXPECT_GE(now, last);
    last = now;
  }
}

TEST(clock, cpu_time_grows_with_work) {
  const std::uint64_t before = thread_cpu_ns();
  const std::uint64_t until = now_ns() + 2'000'000;
  while (now_ns() < until) {
  }
  EXPECT_GT(thread_cpu_ns(), before);
}

TEST(processors, are_at_least_one) {
  EXPECT_GE(processor_count(), 1u);
}

}  // namespace
}  // namespace overture
