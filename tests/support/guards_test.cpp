// SPDX-License-Identifier: Zlib
#include "support/guards.hpp"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace overture::test::guards_test {
namespace {

// The pointer escapes, so that the call is not optimised away.
int* volatile kept = nullptr;

void allocate_something() {
  kept = new int(1);
  delete kept;
}

class guards : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(guards_active()); }
};

TEST_F(guards, pass_code_that_neither_allocates_nor_locks) {
  const no_alloc_scope no_alloc;
  const no_lock_scope no_lock;
  volatile int sum = 0;
  for (int i = 0; i < 10; ++i) sum = sum + i;
}

TEST_F(guards, report_an_allocation_and_name_it) {
  EXPECT_NONFATAL_FAILURE(
      {
        const no_alloc_scope no_alloc;
        allocate_something();
      },
      "2 allocator calls where none are allowed, first malloc, called by");
}

TEST_F(guards, report_a_lock_and_name_it) {
  static std::mutex lock;
  EXPECT_NONFATAL_FAILURE(
      {
        const no_lock_scope no_lock;
        const std::lock_guard hold(lock);
      },
      "first pthread_mutex_lock");
}

TEST_F(guards, count_the_calls_of_their_own_thread_only) {
  std::atomic<int> step{0};
  std::thread other([&step] {
    while (step.load() == 0) std::this_thread::yield();
    allocate_something();
    step.store(2);
  });
  {
    const no_alloc_scope no_alloc;
    step.store(1);
    while (step.load() != 2) std::this_thread::yield();
  }
  other.join();
}

TEST_F(guards, count_nothing_outside_of_a_scope) {
  {
    const no_alloc_scope no_alloc;
  }
  allocate_something();
  const no_alloc_scope no_alloc;
}

// The report that the handler received.
guard_report last;
void remember(const guard_report& seen) noexcept {
  last = seen;
}

TEST_F(guards, count_frees_of_null_too) {
  last = {};
  {
    const overture::no_alloc_scope no_alloc(remember);
    // A volatile pointer, or the compiler removes the call.
    void* volatile nothing = nullptr;
    std::free(nothing);
    EXPECT_EQ(no_alloc.report().calls, 1u);
  }
  EXPECT_EQ(last.calls, 1u);
  EXPECT_EQ(last.frees_of_null, 1u);
  EXPECT_EQ(std::string_view(last.first).substr(0, 4), "free");
}

TEST_F(guards, tell_the_share_of_the_time_in_locks) {
  static std::mutex lock;
  last = {};
  lock.lock();
  std::atomic<bool> waits{false};
  std::thread waiting([&] {
    const overture::no_lock_scope no_lock(remember);
    waits.store(true);
    const std::lock_guard hold(lock);
  });
  // Waits until the thread is at the lock, or almost.
  while (!waits.load()) std::this_thread::yield();
  for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  lock.unlock();
  waiting.join();
  EXPECT_EQ(last.calls, 1u);
  EXPECT_GT(last.lock_ns, 0u);
  EXPECT_LE(last.lock_ns, last.scope_ns);
  EXPECT_GT(last.lock_share(), 0.0);
  EXPECT_LE(last.lock_share(), 1.0);
}

TEST_F(guards, nest_and_count_for_each_scope_its_own) {
  std::uint64_t inner = 0;
  last = {};
  {
    const overture::no_alloc_scope outer(remember);
    allocate_something();
    const overture::no_alloc_scope no_alloc(remember);
    EXPECT_TRUE(guards_active());  // its own probe does not count
    allocate_something();
    inner = no_alloc.report().calls;
    last = {};
  }
  EXPECT_EQ(inner, 2u);
  EXPECT_EQ(last.calls, 4u);
}

TEST_F(guards, name_the_first_call_of_the_outermost_scope) {
  last = {};
  {
    const overture::no_alloc_scope outer(remember);
    EXPECT_TRUE(guards_active());  // its own probe is not the first call
    void* volatile nothing = nullptr;
    std::free(nothing);
    const overture::no_alloc_scope inner([](const guard_report& /*seen*/) noexcept {});
    allocate_something();
  }
  EXPECT_EQ(std::string_view(last.first).substr(0, 5), "free,");
}

TEST_F(guards, show_the_stack_of_the_first_call_from_its_caller_on) {
  std::string first;
  static std::string* kept_text = nullptr;
  kept_text = &first;
  {
    const overture::no_alloc_scope no_alloc(
        [](const guard_report& seen) noexcept { *kept_text = seen.first; });
    void* volatile nothing = nullptr;
    std::free(nothing);
  }
  EXPECT_TRUE(first.starts_with("free, called by\n  ")) << first;
  const std::string caller = first.substr(0, first.find('\n', first.find('\n') + 1));
  EXPECT_NE(caller.find("guards_tests"), std::string::npos) << first;
  EXPECT_EQ(first.find("liboverture_guards"), std::string::npos) << first;
  EXPECT_GT(std::count(first.begin(), first.end(), '\n'), 2) << first;
}

TEST_F(guards, add_up_the_time_of_all_locks) {
  static std::mutex lock;
  const overture::no_lock_scope no_lock([](const guard_report& /*seen*/) noexcept {});
  std::uint64_t before = 0;
  for (int i = 0; i < 1000; ++i) {
    {
      const std::lock_guard hold(lock);
    }
    const std::uint64_t now = no_lock.report().lock_ns;
    ASSERT_GE(now, before);
    before = now;
  }
}

TEST_F(guards, report_on_standard_error_without_a_handler) {
  testing::internal::CaptureStderr();
  {
    const overture::no_alloc_scope no_alloc;
    allocate_something();
    void* volatile nothing = nullptr;
    std::free(nothing);
  }
  const std::string heap = testing::internal::GetCapturedStderr();
  EXPECT_EQ(heap.find("overture guards: 3 calls of the allocator (1 frees of null); first malloc, "
                      "called by\n  "),
            0u)
      << heap;
  testing::internal::CaptureStderr();
  const overture_guard_counts since{.calls = 7, .frees_of_null = 0, .lock_ns = 250, .now_ns = 1000};
  overture_guard_print(1, &since, "sem_wait");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "overture guards: 7 locks, 25.0 % of the time in them; first sem_wait\n");
}

}  // namespace
}  // namespace overture::test::guards_test
