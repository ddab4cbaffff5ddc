// SPDX-License-Identifier: Zlib
//
// Groups: assets that are wanted, waited for and given up together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "assets/counted_memory.hpp"
#include "assets/store_rig.hpp"
#include "overture/assets/asset_group.hpp"

namespace overture::asset_group_test {
namespace {

using namespace overture::literals;
using namespace overture::test;
using namespace std::chrono_literals;
using testing::ElementsAre;

constexpr asset_store_config in_order{.files_max = 1, .background_threads = 0};

asset_priority priority_of(const asset_store& store, std::string_view path) {
  asset_priority found{};
  EXPECT_TRUE(store.for_each_asset([&](const known_asset& one) {
    if (one.path.text == path) found = one.priority;
  }));
  return found;
}

TEST(asset_groups, load_in_the_order_of_their_priorities) {
  store_rig rig({.workers = 0});
  for (const char* name : {"a", "b", "c", "d"}) rig.add(name, name);
  rig.mount();
  rigged_store store(rig, in_order);
  asset_group later(store, asset_priority::low);
  asset_group sooner(store);
  later.get<words>("a"_path);
  later.get<words>("b");
  sooner.get<words>("c"_path);
  sooner.get<words>("d"_path);
  EXPECT_TRUE(sooner.wait_for(10s));
  EXPECT_TRUE(later.wait_for(10s));
  EXPECT_THAT(decodes(rig), ElementsAre("c", "d", "a", "b"));
}

TEST(asset_groups, count_the_bytes_of_the_newest_files) {
  store_rig rig;
  rig.add("a", "1234");
  rig.mount();
  rigged_store store(rig, {.reload_delay = 0ns});
  asset_group level(store);
  const asset<words> a = level.get<words>("a"_path);
  ASSERT_TRUE(level.wait_for(10s));
  EXPECT_EQ(level.progress().bytes_ready, 4u);
  rig.add("a", "123456789");
  store.reload("a");
  ASSERT_TRUE(pump_until(store, [&] { return a.version() == 2; }));
  EXPECT_EQ(level.progress().bytes_read, 9u);
  EXPECT_EQ(level.progress().bytes_ready, 9u);
}

TEST(asset_groups, that_come_and_go_take_no_memory_anew) {
  store_rig rig({.workers = 0});
  rig.add("a", "a");
  rig.mount();
  counted_memory memory;
  {
    rigged_store store(rig, {.memory = &memory});
    const asset<words> held = store.get<words>("a"_path);
    ASSERT_EQ(store.outcome(held), "ready");
    const auto level = [&] { asset_group(store).get<words>("a"_path); };
    level();
    const std::uint64_t before = memory.allocations();
    for (int i = 0; i < 100; ++i) level();
    EXPECT_EQ(memory.allocations(), before);
  }
  EXPECT_EQ(memory.now(), 0u);
}

TEST(asset_groups, that_share_an_asset_may_be_cancelled_in_any_order) {
  for (const bool newer_first : {false, true}) {
    store_rig rig({.workers = 0});
    rig.add("a", "a");
    rig.mount();
    rigged_store store(rig, in_order);
    asset_group older(store, asset_priority::high);
    asset_group newer(store, asset_priority::normal);
    const asset<words> shared = older.get<words>("a"_path);
    newer.get<words>("a"_path);
    (newer_first ? newer : older).cancel();
    (newer_first ? older : newer).cancel();
    EXPECT_EQ(priority_of(store, "a"), asset_priority{}) << newer_first;
  }
}

TEST(asset_groups, that_are_raised_load_in_the_order_of_asking) {
  for (const int times : {1, 2}) {
    store_rig rig({.workers = 0});
    for (const char* name : {"a", "b", "c", "d"}) rig.add(name, name);
    rig.mount();
    rigged_store store(rig, in_order);
    asset_group level(store, asset_priority::low);
    for (const char* name : {"a", "b", "c", "d"}) level.get<words>(name);
    level.set_priority(asset_priority::normal);
    if (times == 2) level.set_priority(asset_priority::high);
    EXPECT_TRUE(level.wait_for(10s));
    EXPECT_THAT(decodes(rig), ElementsAre("a", "b", "c", "d"));
  }
}

TEST(asset_groups, go_up_and_down_without_what_others_want_sooner) {
  store_rig rig({.workers = 4});  // three of them wait at the gate
  rig.add("room", "own\nshared");
  for (const char* name : {"own", "shared", "alone"}) rig.add(name, name);
  rig.mount();
  barricade gate{barricade::raised};
  rig.texts.before_decode = [&](const std::string&) { gate.wait(); };
  rigged_store store(rig);
  asset_group level(store, asset_priority::high);
  asset_group menu(store, asset_priority{170});
  const asset<list> room = level.get<list>("room"_path);
  level.get<words>("alone"_path);
  menu.get<words>("shared"_path);
  EXPECT_TRUE(pump_until(store, [&] { return room.state() == asset_state::needing; }));
  EXPECT_EQ(priority_of(store, "shared"), asset_priority::high);
  level.set_priority(asset_priority::background);
  EXPECT_EQ(level.priority(), asset_priority::background);
  for (const char* path : {"room", "own", "alone"}) {
    EXPECT_EQ(priority_of(store, path), asset_priority::background) << path;
  }
  EXPECT_EQ(priority_of(store, "shared"), asset_priority{170});
  level.set_priority(asset_priority{200});
  for (const char* path : {"room", "own", "alone", "shared"}) {
    EXPECT_EQ(priority_of(store, path), asset_priority{200}) << path;
  }
  level.cancel();
  EXPECT_EQ(priority_of(store, "room"), asset_priority{}) << "it is held, but not urgent";
  EXPECT_EQ(priority_of(store, "shared"), asset_priority{170});
  gate.lower();
  pump_until_settled(store);
}

TEST(asset_groups, that_are_cancelled_lower_what_others_hold_and_stop_the_rest) {
  store_rig rig({.workers = 0});
  for (const char* name : {"first", "kept", "dropped"}) rig.add(name, name);
  rig.mount();
  rigged_store store(rig, in_order);
  asset_group level(store, asset_priority::high);
  const asset<words> first = store.get<words>("first"_path);
  const asset<words> kept = store.get<words>("kept"_path, asset_priority::low);
  ASSERT_TRUE(level.add(kept));
  level.get<words>("dropped"_path);
  EXPECT_EQ(priority_of(store, "kept"), asset_priority::high);
  level.cancel();
  EXPECT_EQ(priority_of(store, "kept"), asset_priority::low);
  EXPECT_EQ(level.progress().assets, 0u);
  EXPECT_TRUE(level.wait_for(0ns)) << "it is empty";
  pump_until_settled(store);
  EXPECT_THAT(decodes(rig), ElementsAre("first", "kept"));
}

TEST(asset_groups, hold_their_assets_and_know_how_far_they_are) {
  store_rig rig({.workers = 0});
  rig.add("room", "wall.txt\nnowhere.txt");
  rig.add("hall", "wall.txt");
  rig.add("wall.txt", "wall");
  rig.mount();
  rigged_store store(rig, {.keep_bytes = 0, .files_max = 1, .background_threads = 0});
  {
    asset_group level(store);
    level.get<list>("room"_path);
    level.get<list>("hall"_path);
    level.get<list>("hall"_path);
    asset_group_progress now = level.progress();
    EXPECT_EQ(now.assets, 2u);
    EXPECT_EQ(now.bytes_read, 0u);
    EXPECT_TRUE(level.wait_for(10s));
    now = level.progress();
    EXPECT_EQ(now.assets, 3u) << "what failed needs nothing any more";
    EXPECT_EQ(now.ready, 2u);
    EXPECT_EQ(now.failed, 1u);
    EXPECT_EQ(now.bytes_ready, 8u + 4u) << "of hall and wall.txt";
    EXPECT_EQ(now.bytes_read, now.bytes_ready + 20u);
    store.pump(1s);
    EXPECT_EQ(level.progress().ready, 2u) << "nothing else holds them";
  }
  ASSERT_TRUE(pump_until(store, [&] { return store.progress().asked == 0; }));
}

TEST(asset_groups, refuse_handles_on_nothing_and_pass_bad_paths_on) {
  store_rig rig({.workers = 0});
  rig.add("other", "other");
  rig.mount();
  rigged_store store(rig);
  asset_group level(store);
  const result<void> added = level.add(asset<words>());
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, errc::invalid);
  const asset<words> bad = level.get<words>("../up");
  EXPECT_EQ(store.outcome(bad), "bad_path");
  EXPECT_TRUE(level.wait_for(1s));
  EXPECT_EQ(level.progress().failed, 1u);
}

TEST(asset_groups, may_be_moved_with_what_they_hold_and_want) {
  store_rig rig({.workers = 0});
  rig.add("other", "other");
  rig.mount();
  rigged_store store(rig, {.keep_bytes = 0, .background_threads = 0});
  const auto counts = [](const asset_group& one) { return one.progress().assets; };
  {
    std::vector<asset_group> levels;
    for (const char* name : {"a", "b", "c"}) {
      asset_group& one = levels.emplace_back(store, asset_priority::low);
      for (int i = 0; i < 300; ++i) one.get<words>(name + std::to_string(i));
    }
    EXPECT_EQ(counts(levels[0]), 300u);
    levels[0].set_priority(asset_priority::high);
    levels[1].set_priority(asset_priority::normal);
    EXPECT_EQ(priority_of(store, "a0"), asset_priority::high);
    levels[0] = std::move(levels[1]);
    EXPECT_EQ(priority_of(store, "a299"), asset_priority{}) << "it was given up";
    EXPECT_EQ(levels[0].priority(), asset_priority::normal);
    EXPECT_EQ(counts(levels[1]), 0u);
    levels[1].get<words>("more");  // it is empty, and may be used again
    EXPECT_EQ(counts(levels[1]), 1u);
    levels[0].set_priority(asset_priority::high);
    EXPECT_EQ(priority_of(store, "b299"), asset_priority::high);
    EXPECT_EQ(priority_of(store, "c0"), asset_priority::low);
    asset_group& same = levels[0];
    levels[0] = std::move(same);
    EXPECT_EQ(counts(levels[0]), 300u);
  }
  EXPECT_EQ(priority_of(store, "b0"), asset_priority{});
  ASSERT_TRUE(pump_until(store, [&] { return store.progress().asked == 0; }));
}

TEST(asset_groups, say_why_the_first_that_was_added_has_failed) {
  store_rig rig({.workers = 0});
  rig.add("hall", "wall.txt");
  rig.add("room", "nowhere.txt");
  rig.add("wall.txt", "wall");
  rig.mount();
  rigged_store store(rig);
  char text[100];
  asset_group level(store);
  level.get<list>("hall"_path);
  EXPECT_TRUE(level.wait_for(10s));
  EXPECT_TRUE(level.failure());
  EXPECT_EQ(level.explain(text), 0u);
  level.get<list>("room"_path);
  level.get<words>("../up");
  EXPECT_TRUE(level.wait_for(10s));
  ASSERT_FALSE(level.failure());
  EXPECT_EQ(level.failure().error().code, errc::not_found);
  EXPECT_GT(level.explain(text), 0u);
  EXPECT_EQ(std::string(text).find("room needs nowhere.txt: "), 0u) << text;
}

TEST(asset_groups, of_many_are_given_up_in_slices) {
  store_rig rig({.workers = 0});
  rig.add("other", "other");
  rig.mount();
  rigged_store store(rig, {.keep_bytes = 0, .background_threads = 0});
  asset_group level(store);
  for (int i = 0; i < 1000; ++i) level.get<words>(std::to_string(i));
  EXPECT_EQ(level.progress().assets, 1000u);
  level.set_priority(asset_priority::low);
  EXPECT_EQ(priority_of(store, "0"), asset_priority::low);
  EXPECT_EQ(priority_of(store, "999"), asset_priority::low);
  level.cancel();
  ASSERT_TRUE(pump_until(store, [&] { return store.progress().asked == 0; }));
  EXPECT_THAT(decodes(rig), testing::SizeIs(testing::Le(64u))) << "the others were cancelled";
}

}  // namespace
}  // namespace overture::asset_group_test
