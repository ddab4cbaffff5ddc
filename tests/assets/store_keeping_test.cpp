// SPDX-License-Identifier: Zlib
//
// What nothing holds: how much of it a store keeps, what counts, and what goes first.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "assets/memory_rig.hpp"

namespace overture::store_keeping_test {
namespace {

using namespace std::chrono_literals;
using namespace overture::literals;
using namespace overture::test;

TEST(kept_memory, of_a_kept_level_counts_what_only_it_keeps_loaded) {
  memory_rig rig({.workers = 1});
  for (int i = 0; i < 12; ++i) rig.add_level(std::to_string(i), 8, 4);
  rig.mount();
  memory_store store(rig, {.keep_bytes = 16 * mib, .budget_bytes = 16 * mib});
  asset<level> now;
  for (int i = 0; i < 12; ++i) {
    asset<level> next = store.get<level>(std::to_string(i));
    ASSERT_TRUE(store.is_ready(next));
    now = std::move(next);
    do {
      store.pump(1ms);
    } while (store.progress().waiting_bytes > 0);
    EXPECT_LE(rig.sum.now, 32u + 16u) << "held and kept";
    EXPECT_LE(store.progress().kept_bytes, 16 * mib);
  }
  EXPECT_LE(rig.sum.peak, 2 * 32u + 16u + 16u);
}

TEST(kept_memory, of_what_only_kept_assets_share_counts_once_and_has_a_bound) {
  memory_rig rig({.workers = 1});
  for (int i = 0; i < 40; ++i) {
    const std::string shared = "shared" + std::to_string(i % 10);
    rig.add(shared, "1");
    rig.add("room" + std::to_string(i), "@wall" + std::to_string(i % 20));
    rig.add("wall" + std::to_string(i % 20), shared);  // two rooms have a wall, two walls a texture
  }
  rig.mount();
  memory_store store(rig, {.keep_bytes = 4 * mib});
  std::vector<asset<level>> rooms;
  for (int i = 0; i < 40; ++i) {
    rooms.push_back(store.get<level>("room" + std::to_string(i)));
    ASSERT_TRUE(store.is_ready(rooms.back()));
  }
  EXPECT_EQ(store.progress().held_bytes, 10 * mib);
  rooms.clear();
  EXPECT_TRUE(pump_until(store, [&] { return rig.sum.now <= 4; })) << rig.sum.now;
  EXPECT_LE(store.progress().kept_bytes, 4 * mib);
  EXPECT_EQ(store.progress().held_bytes, 0u);
  EXPECT_GT(rig.sum.now, 2u) << "no more than must be is given up";
}

TEST(kept_memory, of_what_was_given_up_first_goes_with_what_it_needed) {
  memory_rig rig({.workers = 1});
  rig.add_level("old", 4);
  rig.add_level("new", 2);
  rig.mount();
  memory_store store(rig, {.keep_bytes = 5 * mib});
  asset<level> older = store.get<level>("old"_path);
  asset<level> newer = store.get<level>("new"_path);
  ASSERT_TRUE(store.is_ready(older) && store.is_ready(newer));
  older = {};
  store.pump(1ms);
  newer = {};
  EXPECT_TRUE(pump_until(store, [&] { return rig.sum.now == 5; })) << rig.sum.now;
  EXPECT_TRUE(store.get<level>("new"_path).is_ready()) << "it was kept";
}

TEST(kept_memory, of_what_was_asked_for_again_is_not_the_oldest) {
  memory_rig rig({.workers = 1});
  rig.add_level("old", 2);
  rig.add_level("new", 1);
  rig.mount();
  memory_store store(rig, {.keep_bytes = 2 * mib});
  asset<level> older = store.get<level>("old"_path);
  asset<level> newer = store.get<level>("new"_path);
  ASSERT_TRUE(store.is_ready(older) && store.is_ready(newer));
  older = {};
  store.pump(1ms);
  newer = {};
  (void)store.progress();  // the older level is given up, and is unloaded in pump()
  asset<part> again = store.get<part>("old.d/0"_path);
  EXPECT_TRUE(pump_until(store, [&] { return store.progress().kept_bytes == 2 * mib; }));
  again = {};
  EXPECT_TRUE(pump_until(store, [&] { return rig.sum.now == 2; })) << rig.sum.now;
  EXPECT_TRUE(store.get<part>("old.d/0"_path).is_ready());
  EXPECT_FALSE(store.get<part>("old.d/1"_path).is_ready());
}

TEST(kept_memory, of_what_is_64_needs_below_a_kept_asset_counts_as_held) {
  memory_rig rig({.workers = 1});
  for (int i = 0; i < 70; ++i) rig.add("=" + std::to_string(i), "=1\n@=" + std::to_string(i + 1));
  rig.add("=70", "=1");
  rig.mount();
  memory_store store(rig, {.keep_bytes = 200 * mib});
  asset<level> first = store.get<level>("=0"_path);
  ASSERT_TRUE(store.is_ready(first));
  first = {};
  store.pump(1ms);
  EXPECT_EQ(store.progress().kept_bytes, 65 * mib);
  EXPECT_EQ(store.progress().held_bytes, 6 * mib);
}

TEST(kept_memory, that_is_shared_does_not_count_with_what_is_kept) {
  memory_rig rig({.workers = 1});
  rig.add("shared", "4");
  rig.add("own", "2");
  rig.add("a", "=1\nshared\nown");
  rig.add("b", "shared");
  rig.mount();
  memory_store store(rig, {.keep_bytes = 64 * mib});
  asset<level> a = store.get<level>("a"_path);
  asset<level> b = store.get<level>("b"_path);
  ASSERT_TRUE(store.is_ready(a) && store.is_ready(b));
  EXPECT_EQ(store.progress().held_bytes, 7 * mib);
  a = {};
  store.pump(1ms);
  EXPECT_EQ(store.progress().kept_bytes, 3 * mib);
  EXPECT_EQ(store.progress().held_bytes, 4 * mib);
  asset<part> own = store.get<part>("own"_path);
  store.pump(1ms);
  EXPECT_EQ(store.progress().kept_bytes, 1 * mib) << "the program holds it";
  own = {};
  store.pump(1ms);
  EXPECT_EQ(store.progress().kept_bytes, 3 * mib) << "and not any more";
}

TEST(kept_memory, of_what_the_program_held_when_the_last_asset_went_that_needed_it_goes_last) {
  memory_rig rig({.workers = 1});
  rig.add("room", "=2\nwall");
  rig.add("wall", "1");
  rig.add("other", "1");
  rig.mount();
  memory_store store(rig, {.keep_bytes = 1 * mib});
  asset<level> room = store.get<level>("room"_path);
  asset<part> other = store.get<part>("other"_path);
  ASSERT_TRUE(store.is_ready(room) && store.is_ready(other));
  asset<part> wall = store.get<part>("wall"_path);
  room = {};
  ASSERT_TRUE(pump_until(store, [&] { return rig.sum.now == 2; })) << "too large to be kept";
  other = {};
  store.pump(1ms);
  EXPECT_EQ(store.progress().kept_bytes, 1 * mib);
  wall = {};
  EXPECT_TRUE(pump_until(store, [&] { return rig.sum.now == 1; }));
  EXPECT_TRUE(store.get<part>("wall"_path).is_ready());
  EXPECT_FALSE(store.get<part>("other"_path).is_ready());
}

// Where only the store has a handle on a need, its reload does not end that it counts as kept.
TEST(kept_memory, of_what_is_reloaded_while_it_is_kept_counts_with_its_new_needs) {
  memory_rig rig({.workers = 1});
  rig.add("room", "~wall");
  rig.add("wall", "=1\nold");
  rig.add("old", "2");
  rig.add("new", "4");
  rig.mount();
  memory_store store(rig, {.keep_bytes = 64 * mib, .reload_delay = 0ns});
  asset<level> room = store.get<level>("room"_path);
  ASSERT_TRUE(store.is_ready(room));
  room = {};
  ASSERT_TRUE(pump_until(store, [&] { return store.progress().kept_bytes == 3 * mib; }));
  rig.add("wall", "=1\nnew");
  store.reload("wall");
  ASSERT_TRUE(pump_until(store, [&] { return rig.sum.now == 1 + 2 + 4; }));
  ASSERT_TRUE(pump_until(store, [&] { return store.progress().waiting_bytes == 0; }));
  EXPECT_EQ(store.progress().kept_bytes, 7 * mib) << "the old part too";
  room = store.get<level>("room"_path);
  EXPECT_EQ(store.progress().kept_bytes, 2 * mib);
  EXPECT_EQ(store.progress().held_bytes, 5 * mib);
}

}  // namespace
}  // namespace overture::store_keeping_test
