// SPDX-License-Identifier: Zlib
#include "sync/asymmetric_fence.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace overture::asymmetric_fence_test {
namespace {

using namespace sync_detail;
// Initialised before any test starts a thread.
const bool has_fence = register_heavy_fence();

// Two threads repeatedly announce themselves and then look for the other: at least one must see the
// other every time. (The interleaving explorer shows that this fails without the fence; few
// machines show it in so few rounds.)
TEST(asymmetric_fence, lets_no_two_threads_miss_each_other) {
  if (!has_fence) GTEST_SKIP() << "the system has no process-wide fence";
  constexpr std::uint32_t rounds = 2000;
  struct alignas(64) line {
    atomic<std::uint32_t> value{0};
  };
  line light, heavy, met[2];
  std::uint32_t seen_by_light[2] = {};
  std::uint32_t missed = 0;
  const auto meet = [&](std::size_t self, std::uint32_t meeting) {
    met[self].value.store(meeting);
    for (int turn = 1; met[1 - self].value.load() < meeting; ++turn) {
      if (turn % 1000 == 0) std::this_thread::yield();
    }
  };
  // When they meet again, what each thread reads is in its cache and what it writes is not, so the
  // store is likely to become visible only after the load.
  std::thread reader([&] {
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      meet(0, 2 * round);
      (void)heavy.value.load();
      meet(0, 2 * round + 1);
      for (volatile std::uint32_t delay = round % 32; delay != 0;) delay = delay - 1;
      light_store(light.value, round);
      seen_by_light[round % 2] = heavy.value.load(std::memory_order_relaxed);
    }
    meet(0, 2 * rounds + 2);
  });
  std::uint32_t seen_by_heavy = rounds;
  for (std::uint32_t round = 1; round <= rounds + 1; ++round) {
    meet(1, 2 * round);
    // The other thread has finished its last round.
    if (seen_by_heavy < round - 1 && seen_by_light[(round - 1) % 2] < round - 1) ++missed;
    if (round > rounds) break;
    (void)light.value.load();
    meet(1, 2 * round + 1);
    for (volatile std::uint32_t delay = round / 32 % 32; delay != 0;) delay = delay - 1;
    heavy.value.store(round, std::memory_order_relaxed);
    if (!heavy_fence()) ++missed;
    seen_by_heavy = light.value.load(std::memory_order_relaxed);
  }
  reader.join();
  EXPECT_EQ(missed, 0u);
}

TEST(asymmetric_fence, stays_registered) {
  EXPECT_EQ(register_heavy_fence(), has_fence);
}

}  // namespace
}  // namespace overture::asymmetric_fence_test
