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
    const auto priority = static_cast<asset_priority>(random() % 256);
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

// What a list needs and wants changes all the time, circles of needs included.
void change_and_load(unsigned seed, bool free_lists, std::uint64_t budget_bytes) {
  constexpr unsigned count = 12;
  std::mt19937 engine(seed);
  const auto random = [&] { return static_cast<unsigned>(engine()); };
  store_rig rig({.workers = seed % 3});
  rig.lists.is_free = free_lists;
  rig.texts.is_free = seed % 2 == 0;
  rig.lists.depends = seed % 5 == 0;
  const auto name = [](unsigned i) { return "list" + std::to_string(i); };
  const auto change = [&](unsigned i) {
    std::string content;
    for (unsigned line = random() % 4; line > 0; --line) {
      const std::string number = std::to_string(random() % count);
      constexpr const char* kinds[] = {"@list", "?text", "text", "gone"};
      content += kinds[random() % 4] + number + "\n";
    }
    rig.add(name(i), content);
  };
  for (unsigned i = 0; i < count; ++i) {
    change(i);
    rig.add("text" + std::to_string(i), random() % 8 == 0 ? "broken" : "text");
  }
  rig.mount();
  {
    const std::uint64_t keep_bytes = random() % 2 * 1000;
    rigged_store store(rig, {.keep_bytes = keep_bytes,
                             .budget_bytes = budget_bytes,
                             .files_max = 3,
                             .reload_delay = 0ns});
    std::vector<asset<list>> held(6);
    for (int i = 0; i < 300; ++i) {
      asset<list>& one = held[random() % held.size()];
      const unsigned number = random() % count;
      const auto priority = static_cast<asset_priority>(random() % 256);
      switch (random() % 8) {
        case 0:
        case 1:
          one = store.get<list>(name(number), priority);
          break;
        case 2:
          one = {};
          break;
        case 3:
          store.raise(one, priority);
          break;
        case 4:
          store.retry(one);
          break;
        case 5:
          change(number);
          store.reload(name(number));
          break;
        case 6:
          EXPECT_TRUE(random() % 4 != 0 || store.wait_for(one, test::hang));
          break;
        default:
          store.pump(std::chrono::microseconds(random() % 50));
          break;
      }
    }
    for (const asset<list>& each : held) EXPECT_TRUE(store.wait_for(each, test::hang));
    held.clear();
    // No list wants another, so that no circle is left. What is kept holds what it needs.
    while (keep_bytes == 0 && store.progress().asked > 0) store.pump(1ms);
  }
  std::size_t finalized = 0;
  std::size_t unloaded = 0;
  for (const std::string& line : rig.happened.lines()) {
    finalized += line.starts_with("finalize ") ? 1 : 0;
    unloaded += line.starts_with("unload ") ? 1 : 0;
  }
  EXPECT_EQ(finalized, unloaded) << "seed " << seed;
}

TEST(asset_stress, ends_whatever_changes_meanwhile) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    change_and_load(seed, seed % 4 < 2, seed % 3 == 0 ? 1 : 1u << 20);
  }
}

}  // namespace
}  // namespace overture::stress_test
