// SPDX-License-Identifier: Zlib
//
// asset_store: many threads that ask, hold, raise and give up.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <thread>

#include "assets/store_rig.hpp"

namespace overture::stress_test {
namespace {

using namespace std::chrono_literals;
using test::list;
using test::rigged_store;
using test::store_rig;
using test::words;

constexpr int names = 40;

void use(rigged_store& store, unsigned seed, int rounds) {
  std::mt19937 random(seed);
  std::vector<asset<words>> texts(8);
  std::vector<asset<list>> lists(4);
  for (int i = 0; i < rounds; ++i) {
    const auto priority = static_cast<asset_priority>(random() % asset_priority_count);
    const std::string name = std::to_string(random() % names);
    asset<list>& one = lists[random() % lists.size()];
    if (i % 16 == 0 && one.valid()) one.settled().wait();
    if (random() % 3 == 0) {
      one = store.get<list>("list" + name, priority);
    } else {
      texts[random() % texts.size()] = store.get<words>("text" + name, priority);
    }
    if (random() % 4 == 0) store.raise(one, priority);
    if (random() % 8 == 0) store.retry(one);
    // Not the lists, which are used while another thread pumps.
    if (random() % 32 == 0) store.reload("text" + name);
    if (random() % 64 == 0) (void)store.for_each_asset([](const known_asset&) {});
    if (random() % 4 == 0) one = {};
    if (one.is_ready()) {
      EXPECT_TRUE(one->texts[0].is_ready()) << "it needs that; it only wants the next";
    }
  }
}

void run(std::uint64_t keep_bytes, bool free_threaded, std::uint64_t budget_bytes = 1u << 20,
         int rounds = 2000) {
  store_rig rig({.workers = 3});
  rig.texts.is_free = free_threaded;
  for (int i = 0; i < names; ++i) {
    rig.add("text" + std::to_string(i), i % 10 == 9 ? "broken" : "text" + std::to_string(i));
    std::string content = "text" + std::to_string(i) + "\n?text" + std::to_string((i + 7) % names);
    if (i % 5 != 4) content += "\n@list" + std::to_string(i + 1);
    if (i == 34) content += "\n@list30";  // a cycle
    rig.add("list" + std::to_string(i), content);
  }
  rig.mount();
  {
    rigged_store store(rig, {.keep_bytes = keep_bytes,
                             .budget_bytes = budget_bytes,
                             .files_max = 4,
                             .reload_delay = 0ns});
    std::atomic<int> users{3};
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 3; ++i) {
      threads.emplace_back([&, i] {
        use(store, i, rounds);
        --users;
      });
    }
    while (users > 0) store.pump(100us);
    for (std::thread& each : threads) each.join();
    // What is kept holds what it needs.
    while (keep_bytes == 0 && store.progress().asked > 0) store.pump(1ms);
  }
  std::size_t finalized = 0;
  std::size_t unloaded = 0;
  for (const std::string& line : rig.happened.lines()) {
    finalized += line.starts_with("finalize ") ? 1 : 0;
    unloaded += line.starts_with("unload ") ? 1 : 0;
  }
  EXPECT_EQ(finalized, unloaded);
  EXPECT_GT(finalized, 0u);
}

TEST(asset_stress, every_asset_that_was_finalized_is_unloaded) {
  run(100, false);
}
TEST(asset_stress, and_on_workers_too) {
  run(0, true);
}
TEST(asset_stress, and_with_a_budget_of_one_byte) {
  run(0, false, 1, 150);
  run(100, true, 1, 150);
}

}  // namespace
}  // namespace overture::stress_test
