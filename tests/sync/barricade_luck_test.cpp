// SPDX-License-Identifier: Zlib
//
// Stress tests: provoke unlucky timing as often as time allows.
//
// OVERTURE_STRESS_SECONDS sets how long each of the open-ended tests runs.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "overture/base/thread.hpp"
#include "overture/sync/barricade.hpp"

namespace overture::barricade_luck_test {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

// The minimum work of a stress test on any machine, and how long it continues after that.
constexpr int rounds_min = 300;
clock::time_point end_of_stress() {
  const char* const seconds = std::getenv("OVERTURE_STRESS_SECONDS");
  return clock::now() + (seconds ? std::chrono::milliseconds(1000 * std::atol(seconds)) : 100ms);
}

class barricades_in_bad_luck : public testing::TestWithParam<spin_policy> {
 protected:
  [[nodiscard]] static wait_options options() { return {.spin = GetParam()}; }
};
INSTANTIATE_TEST_SUITE_P(each_spin_policy, barricades_in_bad_luck,
                         testing::Values(spin_policy::none(), spin_policy::ladder(),
                                         spin_policy{200, 0, 0}),
                         [](const auto& tested) {
                           if (tested.param.pauses == 0) return "none";
                           return tested.param.yields == 0 ? "pauses" : "ladder";
                         });

// The deadline sweeps across the moment of lower(). Whichever wins, the result is right, and
// nothing remains that would block the next round.
TEST_P(barricades_in_bad_luck, a_wait_may_time_out_at_the_very_moment_of_lowering) {
  const auto end = end_of_stress();
  int in_time = 0;
  int late = 0;
  for (int round = 0; round < rounds_min || clock::now() < end; ++round) {
    barricade door;
    atomic<bool> lowered{false};
    int value = 0;
    std::thread lowering([&] {
      for (int i = 0; i < round % 64; ++i) spin_hint();
      value = round;
      lowered.store(true);
      door.lower();
    });
    const auto deadline = clock::now() + std::chrono::microseconds(1 + round % 128);
    if (door.wait_until(deadline, options())) {
      ++in_time;
      EXPECT_EQ(value, round);
      EXPECT_TRUE(lowered.load());
    } else {
      ++late;
      EXPECT_GE(clock::now(), deadline);
    }
    lowering.join();
    EXPECT_TRUE(door.wait_for(0ns, options()));
  }
  RecordProperty("in_time", in_time);
  RecordProperty("late", late);
}

// Four threads lower and raise while four others wait: every wait returns, and after the last call
// the barricade is in the state it left.
TEST_P(barricades_in_bad_luck, four_waiters_all_pass_while_four_threads_lower_and_raise) {
  constexpr int lowering_threads = 4;
  constexpr int waiting_threads = 4;
  const auto end = end_of_stress();
  barricade door;
  atomic<bool> over{false};
  atomic<std::uint64_t> entered{0};
  atomic<std::uint64_t> left{0};
  atomic<std::uint64_t> lowered{0};
  std::vector<std::thread> waiting;
  for (int i = 0; i < waiting_threads; ++i) {
    waiting.emplace_back([&] {
      while (!over.load()) {
        entered.fetch_add(1);
        door.wait(options());
        left.fetch_add(1);
      }
    });
  }
  std::vector<std::thread> lowering;
  for (int i = 0; i < lowering_threads; ++i) {
    lowering.emplace_back([&] {
      for (int round = 0; round < rounds_min || clock::now() < end; ++round) {
        door.lower();
        lowered.fetch_add(1);
        door.raise();
      }
    });
  }
  for (auto& thread : lowering) thread.join();
  EXPECT_FALSE(door.is_lowered());  // each raise() was the last of its thread
  over.store(true);
  door.lower();
  for (auto& thread : waiting) thread.join();
  EXPECT_EQ(entered.load(), left.load());
  EXPECT_TRUE(door.is_lowered());
  EXPECT_GE(lowered.load(), std::uint64_t{lowering_threads} * rounds_min);
}

// Every pulse must release every thread that waits: none can come back for the next pulse before
// all have been released by this one.
TEST_P(barricades_in_bad_luck, every_pulse_releases_every_waiter) {
  constexpr unsigned waiting_threads = 4;
  const auto end = end_of_stress();
  barricade door;
  atomic<std::uint64_t> ready{0};  // reaches billions if it stays lowered for long
  atomic<bool> over{false};
  std::vector<std::thread> waiting;
  for (unsigned i = 0; i < waiting_threads; ++i) {
    waiting.emplace_back([&] {
      while (!over.load()) {
        ready.fetch_add(1);
        door.wait(options());
      }
    });
  }
  for (int round = 0; round < rounds_min || clock::now() < end; ++round) {
    // A thread that counts as ready may not have reached wait() yet, so pulse until all have come
    // round again.
    const std::uint64_t before = ready.load();
    for (int i = 0; ready.load() < before + waiting_threads && i < 1'000'000; ++i) {
      door.lower();
      door.raise();
      yield_thread();
    }
    ASSERT_GE(ready.load(), before + waiting_threads);
  }
  over.store(true);
  door.lower();
  for (auto& thread : waiting) thread.join();
}

TEST_P(barricades_in_bad_luck, a_waiter_may_destroy_it_while_others_still_lower) {
  const auto end = end_of_stress();
  for (int round = 0; round < rounds_min || clock::now() < end; ++round) {
    auto door = std::make_unique<barricade>();
    std::thread lowering([&door = *door] { door.lower(); });
    door->wait(options());
    door.reset();
    lowering.join();
  }
}

// Several threads sleep, and the last one released frees the memory: those before it may still be
// passing the wake on.
TEST_P(barricades_in_bad_luck, the_last_one_out_frees_the_memory) {
  constexpr int waiting_threads = 5;
  const auto end = end_of_stress();
  for (int round = 0; round < 50 || clock::now() < end; ++round) {
    auto* const door = new barricade;
    atomic<int> inside{waiting_threads};
    std::vector<std::thread> waiting;
    for (int i = 0; i < waiting_threads; ++i) {
      waiting.emplace_back([&] {
        door->wait(options());
        if (inside.fetch_sub(1) == 1) delete door;
      });
    }
    if (round % 2 == 0) yield_thread();
    door->lower();
    for (auto& thread : waiting) thread.join();
  }
}

}  // namespace
}  // namespace overture::barricade_luck_test
