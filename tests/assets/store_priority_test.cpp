// SPDX-License-Identifier: Zlib
//
// Priorities as numbers, up and down, and what they do to needs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "assets/store_rig.hpp"

namespace overture::asset_priority_test {
namespace {

using namespace overture::literals;
using namespace overture::test;
using namespace std::chrono_literals;
using testing::ElementsAre;

// One file after the other, so that the order of their decodes is that of their turns.
constexpr asset_store_config in_order{.files_max = 1, .background_threads = 0};

std::map<std::string, asset_priority> priorities(const asset_store& store) {
  std::map<std::string, asset_priority> found;
  EXPECT_TRUE(store.for_each_asset(
      [&](const known_asset& one) { found[std::string(one.path.text)] = one.priority; }));
  return found;
}

TEST(a_priority, within_a_class_goes_from_its_last_number_to_its_first) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(within(asset_priority::normal, 0), asset_priority{128});
  EXPECT_EQ(within(asset_priority::normal, 1), asset_priority{191});
  EXPECT_EQ(within(asset_priority::normal, 0.5F), asset_priority{160});
  EXPECT_EQ(within(asset_priority::background, -7), asset_priority{0});
  EXPECT_EQ(within(asset_priority::high, 1e30F), asset_priority{255});
  EXPECT_EQ(within(asset_priority::low, nan), asset_priority{64});
}

TEST(a_priority, is_a_number_and_the_highest_goes_first) {
  store_rig rig({.workers = 0});
  const std::array<unsigned, 6> numbers = {0, 129, 255, 128, 64, 191};
  for (const unsigned number : numbers) rig.add(std::to_string(number), "text");
  rig.mount();
  rigged_store store(rig, in_order);
  std::vector<asset<words>> held;
  for (const unsigned number : numbers) {
    const std::string path = std::to_string(number);
    held.push_back(store.get<words>(path, static_cast<asset_priority>(number)));
  }
  pump_until_settled(store);
  EXPECT_THAT(decodes(rig), ElementsAre("255", "191", "129", "128", "64", "0"));
}

TEST(a_priority, is_set_of_as_many_at_once_as_there_are) {
  constexpr int count = 600;
  store_rig rig({.workers = 0});
  for (int i = 0; i < count; ++i) rig.add(std::to_string(i), "text");
  rig.mount();
  rigged_store store(rig, {.background_threads = 0});
  std::vector<asset<words>> held;
  std::vector<priority_change> changes;
  for (int i = 0; i < count; ++i) held.push_back(store.get<words>(std::to_string(i)));
  for (const asset<words>& each : held) changes.emplace_back(each, asset_priority::high);
  store.set_priorities(changes);
  int high = 0;
  ASSERT_TRUE(store.for_each_asset(
      [&](const known_asset& one) { high += one.priority == asset_priority::high ? 1 : 0; }));
  EXPECT_EQ(high, count);
}

TEST(a_priority, that_is_set_moves_what_waits_up_and_down) {
  store_rig rig({.workers = 0});
  for (const char* name : {"a", "b", "c", "d"}) rig.add(name, name);
  rig.mount();
  rigged_store store(rig, in_order);
  const asset<words> a = store.get<words>("a"_path);
  const asset<words> b = store.get<words>("b"_path);
  const asset<words> c = store.get<words>("c"_path);
  const asset<words> d = store.get<words>("d"_path);
  const std::array<priority_change, 4> changes = {
      priority_change{a, asset_priority{130}}, priority_change{},
      priority_change{c, asset_priority{161}}, priority_change{b, asset_priority::normal}};
  store.set_priorities(changes);
  store.set_priority(d, asset_priority::background);
  pump_until_settled(store);
  EXPECT_THAT(decodes(rig), ElementsAre("c", "b", "a", "d"));
}

TEST(a_priority, that_is_lowered_lowers_the_needs_that_are_not_wanted_sooner) {
  store_rig rig({.workers = 4});  // three of them wait at the gate
  rig.add("room", "own\nshared\nasked");
  rig.add("other", "shared");
  for (const char* name : {"own", "shared", "asked"}) rig.add(name, name);
  rig.mount();
  barricade gate{barricade::raised};
  rig.texts.before_decode = [&](const std::string&) { gate.wait(); };
  rigged_store store(rig);
  const asset<list> room = store.get<list>("room"_path, asset_priority{240});
  const asset<list> other = store.get<list>("other"_path, asset_priority{230});
  const asset<words> asked = store.get<words>("asked"_path, asset_priority{170});
  ASSERT_TRUE(pump_until(store, [&] {
    return room.state() == asset_state::needing && other.state() == asset_state::needing;
  }));
  EXPECT_EQ(priorities(store)["own"], asset_priority{240});
  EXPECT_EQ(priorities(store)["asked"], asset_priority{240});
  store.set_priority(room, asset_priority::low);
  auto now = priorities(store);
  EXPECT_EQ(now["room"], asset_priority::low);
  EXPECT_EQ(now["own"], asset_priority::low);
  EXPECT_EQ(now["shared"], asset_priority{230});
  EXPECT_EQ(now["asked"], asset_priority{170});
  store.set_priority(room, asset_priority{235});
  now = priorities(store);
  EXPECT_EQ(now["own"], asset_priority{235});
  EXPECT_EQ(now["shared"], asset_priority{235});
  EXPECT_EQ(now["asked"], asset_priority{235});
  gate.lower();
  pump_until_settled(store);
  EXPECT_TRUE(room.is_ready() && other.is_ready());
}

TEST(a_priority, of_what_was_raised_itself_stays_when_what_needs_it_is_lowered) {
  store_rig rig({.workers = 4});
  rig.add("room", "wall");
  rig.add("wall", "wall");
  rig.mount();
  barricade gate{barricade::raised};
  rig.texts.before_decode = [&](const std::string&) { gate.wait(); };
  rigged_store store(rig);
  const asset<words> wall = store.get<words>("wall"_path, asset_priority::background);
  const asset<list> room = store.get<list>("room"_path, asset_priority{240});
  ASSERT_TRUE(pump_until(store, [&] { return room.state() == asset_state::needing; }));
  store.raise(wall, asset_priority{180});
  EXPECT_EQ(priorities(store)["wall"], asset_priority{240});
  store.set_priority(room, asset_priority::low);
  EXPECT_EQ(priorities(store)["wall"], asset_priority{180});
  gate.lower();
  pump_until_settled(store);
}

// By the program, or because it cannot be loaded.
TEST(a_priority, of_what_gives_up_its_needs_leaves_them_as_urgent_as_others_want_them) {
  for (const bool by_failure : {false, true}) {
    SCOPED_TRACE(by_failure);
    store_rig rig({.workers = 4});  // two of them wait at the gates
    rig.add("room", "@walls");
    rig.add("walls", "wall");
    rig.add("other", "@walls");
    rig.add("wall", "wall");
    rig.mount();
    barricade wall_gate{barricade::raised};
    barricade room_gate{barricade::raised};
    rig.texts.before_decode = [&](const std::string&) { wall_gate.wait(); };
    rig.lists.after_needs = [&](const std::string& path) {
      if (path != "room" || !by_failure) return;
      room_gate.wait();
      throw std::runtime_error("room");
    };
    rigged_store store(rig, {.keep_bytes = 0});
    const asset<list> other = store.get<list>("other"_path, asset_priority{70});
    asset<list> room = store.get<list>("room"_path, asset_priority{240});
    ASSERT_TRUE(
        pump_until(store, [&] { return priorities(store)["wall"] == asset_priority{240}; }));
    ASSERT_TRUE(pump_until(store, [&] { return other.state() == asset_state::needing; }));
    room_gate.lower();
    if (!by_failure) room = {};
    EXPECT_TRUE(pump_until(store, [&] { return priorities(store)["wall"] == asset_priority{70}; }));
    EXPECT_EQ(priorities(store)["walls"], asset_priority{70});
    wall_gate.lower();
    pump_until_settled(store);
    EXPECT_TRUE(other.is_ready());
  }
}

TEST(a_priority, that_is_lowered_is_lowered_down_a_chain_however_the_ways_meet) {
  store_rig rig({.workers = 0});
  constexpr int levels = 8;  // each asset needs both of the next level
  for (int i = 0; i < levels; ++i) {
    const std::string next = std::to_string(i + 1);
    for (const char* side : {"a", "b"}) {
      const std::string needs =
          i + 1 < levels ? "@a" + next + "\n@b" + next : std::string("wall.txt");
      rig.add(side + std::to_string(i), needs);
    }
  }
  rig.add("wall.txt", "wall");
  rig.mount();
  rigged_store store(rig, in_order);
  const asset<list> a = store.get<list>("a0"_path, asset_priority::high);
  const asset<list> b = store.get<list>("b0"_path, asset_priority::high);
  while (!priorities(store).contains("wall.txt")) store.pump(1ns);
  const std::array<priority_change, 2> both = {priority_change{a, asset_priority::low},
                                               priority_change{b, asset_priority::low}};
  store.set_priorities(both);
  for (const auto& [path, priority] : priorities(store)) {
    EXPECT_EQ(priority, asset_priority::low) << path;
  }
  pump_until_settled(store);
  EXPECT_TRUE(a.is_ready() && b.is_ready());
}

// Without pump(), which would look for more to read.
TEST(a_priority, that_is_raised_where_there_is_room_begins_at_once) {
  store_rig rig({.workers = 0});
  for (const char* name : {"music", "other"}) rig.add(name, name);
  rig.mount();
  barricade gate{barricade::raised};
  rig.texts.is_free = true;
  rig.texts.before_decode = [&](const std::string& path) {
    if (path == "music") gate.wait();
  };
  rigged_store store(rig, {.files_max = 4});
  const asset<words> music = store.get<words>("music"_path, asset_priority::background);
  while (music.state() != asset_state::decoding) (void)rig.engine.jobs.try_help();
  const asset<words> other = store.get<words>("other"_path, asset_priority::background);
  while (rig.engine.jobs.try_help()) {
  }
  ASSERT_EQ(other.state(), asset_state::queued) << "a quarter of the files is one";
  store.set_priority(other, asset_priority::normal);
  const auto end = std::chrono::steady_clock::now() + hang;
  while (!other.is_ready() && std::chrono::steady_clock::now() < end) {
    (void)rig.engine.jobs.try_help();
  }
  EXPECT_TRUE(other.is_ready());
  gate.lower();
}

TEST(a_priority, that_an_earlier_life_had_is_forgotten) {
  store_rig rig({.workers = 0});
  for (const char* name : {"a", "b"}) rig.add(name, name);
  rig.mount();
  rigged_store store(rig, {.keep_bytes = 0, .files_max = 1, .background_threads = 0});
  {
    const asset<words> before = store.get<words>("a"_path, asset_priority::high);
    ASSERT_EQ(store.outcome(before), "ready");
  }
  ASSERT_TRUE(pump_until(store, [&] { return store.progress().asked == 0; }));
  const asset<words> a = store.get<words>("a"_path, asset_priority::low);
  EXPECT_EQ(priorities(store)["a"], asset_priority::low);
}

// Whatever is set in whatever order, what is loaded has gone by the numbers.
TEST(a_priority, set_at_random_gives_the_order_of_the_last_numbers) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    store_rig rig({.workers = 0});
    constexpr std::size_t count = 50;
    for (std::size_t i = 0; i < count; ++i) rig.add(std::to_string(i), "text");
    rig.mount();
    rigged_store store(rig, in_order);
    std::vector<asset<words>> held;
    for (std::size_t i = 0; i < count; ++i) held.push_back(store.get<words>(std::to_string(i)));
    std::vector<unsigned> numbers(count, 160);
    for (int changes = 0; changes < 20; ++changes) {
      std::vector<priority_change> batch;
      for (int i = 0; i < 30; ++i) {
        const std::size_t which = random() % count;
        numbers[which] = random() % 256;
        batch.emplace_back(held[which], static_cast<asset_priority>(numbers[which]));
      }
      store.set_priorities(batch);
    }
    pump_until_settled(store);
    std::vector<unsigned> order;
    for (const std::string& path : decodes(rig)) order.push_back(numbers[std::stoul(path)]);
    ASSERT_EQ(order.size(), count);
    EXPECT_TRUE(std::ranges::is_sorted(order, std::ranges::greater()));
  }
}

// Which are read at once, and decoded in the order of their turns.
TEST(a_priority, that_is_raised_while_a_file_is_read_makes_it_the_last_of_those) {
  store_rig rig({.workers = 0});
  for (const char* name : {"a", "b"}) rig.add(name, name);
  rig.os.set_cached(false);
  rig.mount();
  read_queue reads(rig.engine.files, {.run_by_host = true});
  asset_store store(rig.engine.files, reads, rig.engine.jobs, {.background_threads = 0});
  ASSERT_TRUE(store.add(rig.texts));
  const asset<words> a = store.get<words>("a"_path, asset_priority::low);
  const asset<words> b = store.get<words>("b"_path);
  while (rig.engine.jobs.try_help()) {
  }
  ASSERT_EQ(a.state(), asset_state::reading);
  ASSERT_EQ(b.state(), asset_state::reading);
  store.raise(a, asset_priority::normal);
  reads.drain();
  pump_until_settled(store);
  EXPECT_THAT(decodes(rig), ElementsAre("b", "a"));
}

}  // namespace
}  // namespace overture::asset_priority_test
