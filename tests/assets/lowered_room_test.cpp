// SPDX-License-Identifier: Zlib
//
// asset_store: what waits in memory, whatever becomes of its priority.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <latch>
#include <string>
#include <vector>

#include "assets/memory_rig.hpp"
#include "overture/assets/asset_group.hpp"

namespace overture::lowered_room_test {
namespace {

using namespace std::chrono_literals;
using namespace overture::literals;
using namespace overture::test;

// How a level further away is made less urgent.
enum class lowered { by_priority, by_group, by_dropping_the_group, one_class };
constexpr lowered ways[] = {lowered::by_priority, lowered::by_group, lowered::by_dropping_the_group,
                            lowered::one_class};

TEST(lowered_assets, make_no_room_for_others_before_they_are_finalized) {
  for (const lowered way : ways) {
    memory_rig rig({.workers = 0});
    rig.os.set_cached(true);
    for (int i = 0; i < 60; ++i) rig.add(std::to_string(i), "4");
    rig.mount();
    memory_store store(rig, {.budget_bytes = 16 * mib, .background_threads = 0});
    std::vector<asset<part>> held;
    for (int i = 0; i < 60; ++i) {
      const std::string path = std::to_string(i);
      if (way == lowered::by_priority || way == lowered::one_class) {
        held.push_back(store.get<part>(path, asset_priority::high));
        store.run_jobs();
        store.set_priority(held.back(), way == lowered::one_class ? asset_priority::normal
                                                                  : asset_priority::background);
      } else {
        asset_group group(store, asset_priority::high);
        held.push_back(group.get<part>(path));
        store.run_jobs();
        if (way == lowered::by_group) group.set_priority(asset_priority::low);
      }
      store.run_jobs();
      ASSERT_LE(rig.sum.now, 16u + 4u) << i << " assets";
      ASSERT_LE(store.progress().waiting_bytes, (16 + 4) * mib);
    }
    for (const asset<part>& each : held) ASSERT_TRUE(store.is_ready(each));
    EXPECT_LE(store.progress().waiting_bytes, 0u);
  }
}

// The level has the budget, and waits for a part. What was lowered waits for that part, and what is
// urgent for what was lowered: so the part is read, though something urgent comes before it.
TEST(lowered_assets, let_a_need_be_read_that_they_wait_for) {
  memory_rig rig({.workers = 0});
  rig.os.set_cached(true);
  for (const char* const path : {"first", "need", "urgent"}) rig.add(path, "1");
  rig.add("lowered", "4");
  rig.add("level", "=4\nneed");
  rig.mount();
  memory_store store(rig, {.budget_bytes = 4 * mib, .files_max = 1, .background_threads = 0});
  const auto run_until = [&](const auto& one, asset_state state) {
    while (one.state() != state && rig.engine.jobs.try_help()) {
    }
    ASSERT_EQ(one.state(), state);
  };
  const asset<part> first = store.get<part>("first", asset_priority::low);
  run_until(first, asset_state::finalizing);  // and waits for pump()
  const asset<part> lowered = store.get<part>("lowered", asset_priority::high);
  run_until(lowered, asset_state::decoding);
  store.set_priority(lowered, asset_priority::low);
  const asset<level> whole = store.get<level>("level");
  run_until(whole, asset_state::decoding);
  const asset<part> urgent = store.get<part>("urgent", asset_priority::high);
  EXPECT_TRUE(store.is_ready(urgent));
  EXPECT_TRUE(store.is_ready(whole));
  EXPECT_TRUE(store.is_ready(lowered));
}

// Once it is lowered, its need comes after what is urgent, and that may not begin beside it.
TEST(lowered_assets, let_the_needs_of_a_chain_be_read_before_another_chain_begins) {
  memory_rig rig({.workers = 0});
  rig.os.set_cached(true);
  for (const char* const path : {"first", "need", "urgent"}) rig.add(path, "3");
  rig.add("level", "=2\nneed");
  rig.mount();
  memory_store store(rig, {.budget_bytes = 4 * mib, .background_threads = 0});
  const auto run_until = [&](const auto& one, asset_state state) {
    while (one.state() != state && rig.engine.jobs.try_help()) {
    }
    ASSERT_EQ(one.state(), state);
  };
  const asset<part> first = store.get<part>("first", asset_priority::high);
  run_until(first, asset_state::finalizing);  // and waits for pump(), with most of the budget
  const asset<level> chain = store.get<level>("level"_path, asset_priority::high);
  run_until(chain, asset_state::needing);
  const asset<part> urgent = store.get<part>("urgent", asset_priority::high);
  store.set_priority(chain, asset_priority::low);
  EXPECT_TRUE(store.is_ready(urgent));
  EXPECT_TRUE(store.is_ready(chain));
}

// All three are larger than the budget. Two wait until nothing urgent moves but them; one of them
// is lowered, and then what they wait for, while it is read.
TEST(lowered_assets, let_what_is_urgent_go_on_when_they_have_been_read) {
  memory_rig rig({.workers = 0});
  for (const char* const path : {"slow", "lowered", "urgent"}) rig.add(path, "5");
  rig.mount();
  std::latch gate(1);
  rig.os.before_each_call([&](const os_call_info& call) {
    if (call.kind == os_call::read && call.path.ends_with("slow")) gate.wait();
  });
  memory_store store(rig, {.budget_bytes = 4 * mib, .background_threads = 1});
  const asset<part> slow = store.get<part>("slow", asset_priority::high);
  const asset<part> lowered = store.get<part>("lowered", asset_priority::high);
  const asset<part> urgent = store.get<part>("urgent", asset_priority::high);
  const auto run_jobs = [&] {
    while (rig.engine.jobs.try_help()) {
    }
  };
  while (lowered.state() != asset_state::decoding || urgent.state() != asset_state::decoding) {
    run_jobs();
  }
  run_jobs();
  store.set_priority(lowered, asset_priority::normal);
  run_jobs();
  store.set_priority(slow, asset_priority::background);
  gate.count_down();
  EXPECT_TRUE(store.is_ready(urgent));
  EXPECT_TRUE(store.is_ready(lowered));
  EXPECT_TRUE(store.is_ready(slow));
}

// Each frame another level is the most urgent. One class after the other, and within a class.
TEST(lowered_assets, that_wait_for_needs_let_no_other_chain_begin) {
  for (const bool one_class : {false, true}) {
    memory_rig rig({.workers = 0});
    constexpr unsigned levels = 40;
    for (unsigned i = 0; i < levels; ++i) {
      const std::string name = "level " + std::to_string(i);
      rig.add(name, "=1\n@" + name + ".a");
      rig.add(name + ".a", "=1\n@" + name + ".b");
      rig.add(name + ".b", "=1");
    }
    rig.mount();
    memory_store store(rig, {.budget_bytes = 1, .background_threads = 0});
    std::vector<asset<level>> held;
    for (unsigned i = 0; i < levels; ++i) {
      held.push_back(store.get<level>("level " + std::to_string(i), asset_priority::low));
    }
    std::uint64_t ready = 0;
    const auto end = std::chrono::steady_clock::now() + hang;
    for (unsigned frame = 0; ready < 3 * levels && std::chrono::steady_clock::now() < end;
         ++frame) {
      std::vector<priority_change> changes;
      for (unsigned i = 0; i < levels; ++i) {
        const bool is_next = i == frame % levels;
        const auto in_class = within(asset_priority::low, static_cast<float>(is_next));
        const auto in_any = is_next ? asset_priority::high : asset_priority::low;
        changes.emplace_back(held[i], one_class ? in_class : in_any);
      }
      store.set_priorities(changes);
      store.pump(0ns);
      std::this_thread::yield();
      ASSERT_LE(store.progress().waiting_bytes, 2 * 3 * mib) << "a chain of each class";
      ready = store.progress().ready;
    }
    EXPECT_EQ(ready, 3 * levels);
  }
}

TEST(lowered_assets, and_raised_ones_load_beside_a_change_in_each_frame) {
  memory_rig rig({.workers = 0});
  for (int i = 0; i < 10; ++i) rig.add(std::to_string(i), "1");
  rig.mount();
  memory_store store(rig, {.budget_bytes = 1, .background_threads = 0});
  std::vector<asset<part>> held;
  for (int i = 0; i < 10; ++i)
    held.push_back(store.get<part>(std::to_string(i), asset_priority::low));
  std::uint64_t ready = 0;
  const auto end = std::chrono::steady_clock::now() + hang;
  for (unsigned frame = 0; ready < held.size() && std::chrono::steady_clock::now() < end; ++frame) {
    std::vector<priority_change> changes;
    for (unsigned i = 0; i < 10; ++i) {
      const unsigned distance = (frame * 7 + i * 3) % 10;
      changes.emplace_back(held[i],
                           within(asset_priority::high, static_cast<float>(distance) / 10));
    }
    store.set_priorities(changes);
    store.pump(0ns);
    std::this_thread::yield();
    ready = store.progress().ready;
  }
  EXPECT_EQ(ready, held.size());
}

// While they are read, too.
TEST(lowered_assets, end_in_whatever_order_they_are_lowered_and_raised) {
  constexpr asset_priority priorities[] = {asset_priority::background, asset_priority::low,
                                           asset_priority::normal, asset_priority::high};
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    std::uint32_t random = seed * 2654435761u + 1;
    const auto next = [&](std::uint32_t below) {
      random = random * 1664525u + 1013904223u;
      return (random >> 8) % below;
    };
    memory_rig rig({.workers = seed % 3});
    for (int i = 0; i < 40; ++i) rig.add(std::to_string(i), std::to_string(1 + i % 7));
    rig.add_level("level", 5);
    rig.mount();
    memory_store store(
        rig, {.keep_bytes = 0, .budget_bytes = (4 + next(12)) * mib, .background_threads = 0});
    std::vector<asset<part>> held;
    const asset<level> whole = store.get<level>("level"_path, priorities[next(4)]);
    for (int i = 0; i < 40; ++i) {
      held.push_back(store.get<part>(std::to_string(i), priorities[next(4)]));
      for (std::uint32_t j = next(3); j > 0; --j) {
        store.set_priority(held[next(static_cast<std::uint32_t>(held.size()))],
                           priorities[next(4)]);
      }
      if (next(8) == 0) held[next(static_cast<std::uint32_t>(held.size()))] = {};
      if (next(4) == 0) store.pump(0ns);
      // Seven MiB more for each class of priority, and for what was dropped at once.
      ASSERT_LE(rig.sum.now, 16u + 5 * 7u + 5u);
    }
    ASSERT_TRUE(store.is_ready(whole));
    for (const asset<part>& each : held) ASSERT_TRUE(!each.valid() || store.is_ready(each));
  }
}

}  // namespace
}  // namespace overture::lowered_room_test
