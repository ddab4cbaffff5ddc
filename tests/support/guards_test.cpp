#include "support/guards.hpp"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <thread>

namespace overture::test {
namespace {

// Not optimised away: the pointer escapes.
int* volatile kept = nullptr;

void allocate_something() {
  kept = new int(1);
  delete kept;
}

class guards : public testing::Test {
 protected:
  void SetUp() override {
    if (!guards_active()) GTEST_SKIP() << "sanitizers stand where the guards would";
  }
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
      "2 allocator calls where there must be none, first malloc, called by");
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

}  // namespace
}  // namespace overture::test
