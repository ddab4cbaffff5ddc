#include "overture/thread.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

#include <atomic>
#include <string>
#include <thread>

#include "base/processor.hpp"

namespace overture {
namespace {

struct seen_by_thread {
  std::string name;
  cpu_set_t allowed;
  int policy = -1;
};

void look_around(void* raw) {
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

TEST(thread_factory, schedules_as_batch_only_threads_that_ask_for_it) {
  for (const bool gives_way : {false, true}) {
    seen_by_thread seen;
    const result<thread_handle> started =
        default_thread_factory().start({.gives_way = gives_way}, look_around, &seen);
    ASSERT_TRUE(started);
    default_thread_factory().join(*started);
    EXPECT_EQ(seen.policy, gives_way ? SCHED_BATCH : sched_getscheduler(0));
  }
}

struct seen_by_leaver {
  cpu_set_t before;
  cpu_set_t after;
  bool left = false;
};

void leave_here(void* raw) {
  auto& seen = *static_cast<seen_by_leaver*>(raw);
  sched_getaffinity(0, sizeof seen.before, &seen.before);
  seen.left = leave_processor();
  sched_getaffinity(0, sizeof seen.after, &seen.after);
}

TEST(leave_processor, keeps_the_processors_that_the_thread_may_run_on) {
  for (const std::uint64_t mask : {0u, 1u}) {
    seen_by_leaver seen;
    const result<thread_handle> started =
        default_thread_factory().start({.affinity_mask = mask}, leave_here, &seen);
    ASSERT_TRUE(started);
    default_thread_factory().join(*started);
    EXPECT_TRUE(CPU_EQUAL(&seen.before, &seen.after));
    EXPECT_EQ(seen.left, CPU_COUNT(&seen.before) > 1);
  }
}

// Whether two threads may run on the same processors.
void expect_same(const cpu_set_t& seen, const cpu_set_t& expected, const char* what) {
  EXPECT_TRUE(CPU_EQUAL(&seen, &expected)) << what;
}

cpu_set_t allowed_here() {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  return allowed;
}

unsigned first_of(const cpu_set_t& allowed) {
  unsigned number = 0;
  while (!CPU_ISSET(number, &allowed)) ++number;
  return number;
}

TEST(keep_off_processor, takes_one_and_gives_it_back) {
  std::thread([] {
    const cpu_set_t all = allowed_here();
    const unsigned first = first_of(all);
    cpu_set_t others = all;
    CPU_CLR(first, &others);
    const bool has_others = CPU_COUNT(&others) != 0;
    EXPECT_EQ(keep_off_processor(first, no_processor), has_others);
    if (has_others) expect_same(allowed_here(), others, "taken");
    EXPECT_FALSE(keep_off_processor(first, no_processor)) << "it is no longer one of them";
    EXPECT_FALSE(keep_off_processor(no_processor, has_others ? first : no_processor));
    expect_same(allowed_here(), all, "given back");
  }).join();
}

TEST(keep_off_processor, changes_one_for_another) {
  std::thread([] {
    const cpu_set_t all = allowed_here();
    if (CPU_COUNT(&all) < 2) return;
    const unsigned first = first_of(all);
    cpu_set_t without_first = all;
    CPU_CLR(first, &without_first);
    const unsigned second = first_of(without_first);
    ASSERT_TRUE(keep_off_processor(first, no_processor));
    EXPECT_TRUE(keep_off_processor(second, first));
    cpu_set_t without_second = all;
    CPU_CLR(second, &without_second);
    expect_same(allowed_here(), without_second, "the second in place of the first");
  }).join();
}

TEST(keep_off_processor, leaves_a_thread_the_only_one_that_it_has) {
  std::thread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first_of(allowed_here()), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_FALSE(keep_off_processor(first_of(one), no_processor));
    expect_same(allowed_here(), one, "unchanged");
  }).join();
}

TEST(sharpen_timers, lets_timed_waits_of_this_thread_end_at_their_time) {
  int slack_ns = -1;
  const auto sharpen = [](void* seen) {
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
      {.stack_bytes = std::size_t{1} << 60}, [](void*) { ran = true; }, nullptr);
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
