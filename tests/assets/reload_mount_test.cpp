// SPDX-License-Identifier: Zlib
//
// asset_store::reload_mount(): mods that come and go while the game runs.
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "assets/store_rig.hpp"
#include "overture/sync/barricade.hpp"

namespace overture::reload_mount_test {
namespace {

using namespace overture::literals;
using namespace overture::test;

constexpr asset_store_config at_once{.reload_delay = std::chrono::nanoseconds(0)};

class a_mod : public testing::Test {
 protected:
  a_mod() {
    rig.add("wall.txt", "wall");
    rig.add("floor.txt", "floor");
    rig.os.add_file("/mod/wall.txt", "icy wall");
    rig.os.add_file("/mod/door.txt", "door");
    rig.mount();
    rig.engine.files.thaw();
    store.emplace(rig, at_once);
    wall = store->get<words>("wall.txt"_path);
    floor = store->get<words>("floor.txt"_path);
    door = store->get<words>("door.txt"_path);
    EXPECT_EQ(store->outcome(wall), "ready");
    EXPECT_EQ(store->outcome(floor), "ready");
    EXPECT_EQ(store->outcome(door), "not_found");
  }
  mount_id mount(const mount_options& options = {}) {
    const result<mount_id> made = rig.engine.files.mount("/mod", options);
    EXPECT_TRUE(made) << made.error().reason;
    store->reload_mount(made.value_or(mount_id{}));
    return made.value_or(mount_id{});
  }

  store_rig rig;
  std::optional<rigged_store> store;
  asset<words> wall;
  asset<words> floor;
  asset<words> door;
};

TEST_F(a_mod, that_comes_and_goes_has_its_assets_loaded_again_and_no_others) {
  const mount_id mod = mount();
  ASSERT_TRUE(pump_until(*store, [&] { return wall.version() == 2 && door.is_ready(); }));
  EXPECT_EQ(wall->text, "icy wall");
  EXPECT_EQ(door->text, "door");
  store->reload_mount(mod);
  ASSERT_TRUE(rig.engine.files.unmount(mod));
  ASSERT_TRUE(
      pump_until(*store, [&] { return wall.version() == 3 && !store->reload_status(door); }));
  EXPECT_EQ(wall->text, "wall");
  EXPECT_EQ(door->text, "door") << "it has no other file";
  EXPECT_EQ(floor.version(), 1u);
}

TEST_F(a_mod, that_removes_files_has_their_assets_loaded_again) {
  rig.os.add_file("/mod/.wh.floor.txt", "");
  const mount_id mod = mount({.removal_markers = true});
  ASSERT_TRUE(pump_until(*store, [&] { return !store->reload_status(floor); }));
  EXPECT_EQ(floor->text, "floor");
  store->reload_mount(mod);
  ASSERT_TRUE(rig.engine.files.unmount(mod));
  ASSERT_TRUE(pump_until(*store, [&] { return floor.version() == 2; }));
}

// It may be read between reload_mount() and unmount(), also if it is asked for only then, and is
// read again for the pump() after them.
TEST(a_mod_that_goes, leaves_no_value_of_what_is_read_before_the_next_pump) {
  for (const bool is_known : {false, true}) {
    store_rig rig({.workers = 1});
    rig.add("floor.txt", "floor");
    rig.add("wall.txt", "wall");
    rig.os.add_file("/mod/wall.txt", "icy wall");
    rig.mount();
    rig.engine.files.thaw();
    const result<mount_id> mod = rig.engine.files.mount("/mod");
    ASSERT_TRUE(mod);
    barricade begun;
    barricade may_end;
    begun.raise();
    may_end.raise();
    rig.texts.before_decode = [&](const std::string& path) {
      if (path != "floor.txt") return;
      begun.lower();
      may_end.wait();
    };
    rigged_store store(rig, {.files_max = 1, .reload_delay = std::chrono::nanoseconds(0)});
    const asset<words> floor = store.get<words>("floor.txt"_path);
    begun.wait();
    asset<words> wall;
    if (is_known) wall = store.get<words>("wall.txt"_path);
    store.reload_mount(*mod);
    if (!is_known) wall = store.get<words>("wall.txt"_path);
    may_end.lower();
    while (rig.happened.count("decode wall.txt") == 0) std::this_thread::yield();
    ASSERT_TRUE(rig.engine.files.unmount(*mod));
    ASSERT_TRUE(pump_until(store, [&] { return wall.is_ready() && wall->text == "wall"; }));
  }
}

}  // namespace
}  // namespace overture::reload_mount_test
