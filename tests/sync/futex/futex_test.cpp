// SPDX-License-Identifier: Zlib
//
// The native wait layer over a futex that misbehaves in all permitted ways: the library's calls go
// through the function below.
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <thread>
#include <vector>

#include "include/sync/futex_linux.hpp"
#include "overture/base/thread.hpp"
#include "overture/sync/barricade.hpp"
#include "sync/wait.hpp"

namespace {

using overture::atomic;

enum class answer : int { honest, interrupted, again, for_nothing };

// How many of the next waits may be lied to.
atomic<std::uint64_t> lies_left{0};
atomic<std::uint64_t> lies_told{0};
// Called with the address before a wake enters the kernel.
atomic<void (*)(const void*)> before_wake{nullptr};

// Lies to two of three waits, with each lie in turn.
answer next_answer() {
  std::uint64_t left = lies_left.load();
  while (left != 0 && !lies_left.compare_exchange_weak(left, left - 1)) {
  }
  if (left == 0 || left % 3 == 0) return answer::honest;
  lies_told.fetch_add(1);
  return static_cast<answer>(1 + (left / 3) % 3);
}

bool is_wait(int operation) {
  return (operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
}

}  // namespace

namespace overture {

long sync_detail::futex_call(const void* address, int operation, std::uint32_t value,
                             const void* fourth, const void* second_address,
                             std::uint32_t bits) noexcept {
  if (is_wait(operation)) {
    const answer told = next_answer();
    if (told == answer::interrupted) return -EINTR;
    if (told == answer::again) return -EAGAIN;
    if (told == answer::for_nothing) return 0;
  } else if (auto* const hook = before_wake.load()) {
    hook(address);
  }
  const long result = syscall(SYS_futex, address, operation, value, fourth, second_address, bits);
  return result == -1 ? -errno : result;
}

namespace {

using namespace std::chrono_literals;
using namespace sync_detail;

TEST(a_barricade_on_a_futex_that_lies, holds_all_waiters_until_it_is_lowered) {
  const std::uint64_t told_before = lies_told.load();
  for (int round = 0; round < 100; ++round) {
    lies_left.store(300);
    barricade door;
    atomic<bool> lowered{false};
    std::vector<std::thread> waiting;
    for (int i = 0; i < 4; ++i) {
      waiting.emplace_back([&] {
        door.wait({.spin = spin_policy::none()});
        EXPECT_TRUE(lowered.load());
      });
    }
    yield_thread();
    lowered.store(true);
    door.lower();
    for (auto& thread : waiting) thread.join();
  }
  lies_left.store(0);
  EXPECT_GT(lies_told.load(), told_before);
}

TEST(a_barricade_on_a_futex_that_lies, gives_up_in_time_all_the_same) {
  lies_left.store(1000);
  barricade door;
  const auto deadline = std::chrono::steady_clock::now() + 2ms;
  EXPECT_FALSE(door.wait_until(deadline, {.spin = spin_policy::none()}));
  EXPECT_GE(std::chrono::steady_clock::now(), deadline);
  lies_left.store(0);
}

// Holds a thread inside lower(), between its operation on the word and the system call.
atomic<bool> wake_may_go_on{false};
atomic<const void*> woken_address{nullptr};
void hold_the_wake(const void* address) {
  woken_address.store(address);
  while (!wake_may_go_on.load()) yield_thread();
}

// The page is unmapped before lower() wakes: any access to the word would crash.
void lower_a_barricade_that_is_gone(int waiting_threads) {
  const long page = sysconf(_SC_PAGESIZE);
  void* const memory = mmap(nullptr, static_cast<std::size_t>(page), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const door = new (memory) barricade;
  wake_may_go_on.store(false);
  woken_address.store(nullptr);
  const std::uint64_t sleeps = native_wait::counts().waits;
  std::vector<std::thread> waiting;
  for (int i = 0; i < waiting_threads; ++i) {
    waiting.emplace_back([&] { EXPECT_TRUE(door->wait_for(1h, {.spin = spin_policy::none()})); });
  }
  while (native_wait::counts().waits - sleeps < static_cast<std::uint64_t>(waiting_threads)) {
    yield_thread();
  }
  before_wake.store(hold_the_wake);
  std::thread lowering([door] { door->lower(); });
  while (woken_address.load() != memory) yield_thread();
  before_wake.store(nullptr);
  // Releases the sleepers by another wake than the one that is held.
  for (auto& thread : waiting) {
    native_wait::address_wake_all(memory);
    thread.join();
  }
  ASSERT_EQ(munmap(memory, static_cast<std::size_t>(page)), 0);
  wake_may_go_on.store(true);
  lowering.join();
}

TEST(a_lowering_that_outlives_the_barricade, touches_nothing_with_one_waiter) {
  lower_a_barricade_that_is_gone(1);
}

TEST(a_lowering_that_outlives_the_barricade, touches_nothing_with_many_waiters) {
  lower_a_barricade_that_is_gone(6);
}

// All sleepers are moved to another kernel queue; those that time out or are interrupted there must
// not consume a wake that others wait for.
TEST(relayed_wakes, reach_all_waiters_though_some_give_up) {
  for (int round = 0; round < 200; ++round) {
    barricade door;
    std::vector<std::thread> waiting;
    for (int i = 0; i < 8; ++i) {
      waiting.emplace_back([&door, i, round] {
        const wait_options options{.spin = spin_policy::none()};
        if (i % 2 == 0) {
          door.wait(options);
        } else {
          (void)door.wait_for(std::chrono::microseconds(20 + 7 * round), options);
        }
      });
    }
    for (int i = 0; i < round % 8; ++i) yield_thread();
    door.lower();
    if (round % 2 == 0) door.raise();
    // A thread that arrives after the pulse must not block the test.
    door.lower();
    for (auto& thread : waiting) thread.join();
  }
}

}  // namespace
}  // namespace overture
