// SPDX-License-Identifier: Zlib
//
// What a store says of the assets that it knows.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include "assets/store_rig.hpp"

namespace overture::known_assets_test {
namespace {

using namespace overture::literals;
using namespace overture::test;

std::map<std::string, known_asset> all_of(const asset_store& store) {
  std::map<std::string, known_asset> all;
  EXPECT_TRUE(
      store.for_each_asset([&](const known_asset& one) { all[std::string(one.path.text)] = one; }));
  return all;
}

void add_chain(store_rig& rig) {
  rig.add("x", "@y");
  rig.add("y", "@z");
  rig.add("z", "");
}

TEST(known_assets, of_a_chain_that_was_dropped_are_in_no_circle) {
  store_rig rig;
  add_chain(rig);
  rig.mount();
  rigged_store store(rig);
  asset<list> x = store.get<list>("x"_path);
  ASSERT_EQ(store.outcome(x), "ready");
  x = {};
  const std::map<std::string, known_asset> all = all_of(store);
  EXPECT_EQ(all.at("x").held_by, asset_holder::nothing);
  EXPECT_EQ(all.at("y").held_by, asset_holder::asset);
  EXPECT_EQ(all.at("z").held_by, asset_holder::asset);
}

TEST(known_assets, that_others_need_have_one_handle_for_each) {
  store_rig rig;
  rig.add("a", "wall.txt");
  rig.add("b", "wall.txt");
  rig.add("wall.txt", "wall");
  rig.mount();
  rigged_store store(rig);
  const asset<list> a = store.get<list>("a"_path);
  const asset<list> b = store.get<list>("b"_path);
  ASSERT_EQ(store.outcome(a), "ready");
  ASSERT_EQ(store.outcome(b), "ready");
  EXPECT_EQ(all_of(store).at("wall.txt").handles, 2u);
  EXPECT_EQ(all_of(store).at("a").handles, 1u);
}

// a.txt is ready, and decoded again only once that is let go.
struct slow_reload {
  slow_reload() {
    rig.add("a.txt", "a");
    rig.mount();
    store.emplace(rig, asset_store_config{.reload_delay = std::chrono::nanoseconds(0)});
    a = store->get<words>("a.txt"_path);
    EXPECT_EQ(store->outcome(a), "ready");
    rig.texts.before_decode = [this](const std::string&) {
      while (waits) std::this_thread::yield();
    };
  }
  [[nodiscard]] bool reloads() const { return all_of(*store).at("a.txt").reloads; }

  store_rig rig;
  std::atomic<bool> waits{true};
  std::optional<rigged_store> store;
  asset<words> a;
};

TEST(known_assets, count_once_while_they_are_loaded_again) {
  slow_reload of;
  of.store->reload("a.txt");
  EXPECT_TRUE(pump_until(*of.store, [&] { return of.store->progress().waiting_bytes > 0; }));
  EXPECT_EQ(of.store->progress().asked, 1u);
  EXPECT_EQ(of.store->progress().ready, 1u);
  of.waits = false;
  EXPECT_TRUE(pump_until(*of.store, [&] { return of.a.version() == 2; }));
}

TEST(known_assets, reload_from_the_save_until_the_new_value_is_shown) {
  slow_reload of;
  EXPECT_FALSE(of.reloads());
  of.store->reload("a.txt");
  EXPECT_TRUE(of.reloads()) << "when pump() is called";
  of.store->pump(std::chrono::milliseconds(1));
  EXPECT_TRUE(of.reloads()) << "it is on its way";
  of.waits = false;
  EXPECT_TRUE(pump_until(*of.store, [&] { return !of.reloads(); }));
  EXPECT_EQ(of.a.version(), 2u);
}

TEST(known_assets, that_wait_to_be_unloaded_are_not_held_too) {
  store_rig rig;
  rig.add("room", "wall.txt");
  rig.add("wall.txt", std::string(1000, 'w'));
  rig.mount();
  rigged_store store(rig, {.keep_bytes = 0});
  asset<list> room = store.get<list>("room"_path);
  ASSERT_EQ(store.outcome(room), "ready");
  room = {};
  const asset_progress now = store.progress();
  EXPECT_EQ(now.held_bytes, 0u);
  EXPECT_GE(now.waiting_bytes, 1000u);
}

TEST(known_assets, that_are_loaded_anew_have_no_failed_reload) {
  store_rig rig;
  rig.add("a.txt", "a");
  rig.mount();
  rigged_store store(rig, {.keep_bytes = 0, .reload_delay = std::chrono::nanoseconds(0)});
  asset<words> a = store.get<words>("a.txt"_path);
  ASSERT_EQ(store.outcome(a), "ready");
  rig.add("a.txt", "broken");
  store.reload("a.txt");
  ASSERT_TRUE(pump_until(store, [&] { return !store.reload_status(a); }));
  a = {};
  ASSERT_TRUE(pump_until(store, [&] {
    return store.progress().waiting_bytes == 0 && rig.happened.count("unload a") == 1;
  }));
  rig.add("a.txt", "b");
  a = store.get<words>("a.txt"_path);
  ASSERT_EQ(store.outcome(a), "ready");
  EXPECT_TRUE(store.reload_status(a));
}

TEST(known_assets, of_a_tree_that_ignores_case_are_one_for_each_file) {
  fake_os os;
  os.add_file("/game/Wall.txt", "old");
  diary happened;
  words_loader texts(happened);
  load_rig engine(os, {.ignore_case = true});
  engine.mount({"/game"});
  asset_store store(engine.files, engine.reads, engine.jobs,
                    {.reload_delay = std::chrono::nanoseconds(0)});
  ASSERT_TRUE(store.add(texts));
  const asset<words> upper = store.get<words>("Wall.txt"_path);
  const asset<words> lower = store.get<words>("wall.txt"_path);
  ASSERT_TRUE(store.wait_for(upper, hang));
  ASSERT_TRUE(store.wait_for(lower, hang));
  EXPECT_EQ(happened.count("decode wall.txt"), 1u);
  os.add_file("/game/Wall.txt", "new");
  store.reload("WALL.txt");
  ASSERT_TRUE(pump_until(store, [&] { return upper.version() == 2; }));
  EXPECT_EQ(lower->text, "new");
}

}  // namespace
}  // namespace overture::known_assets_test
