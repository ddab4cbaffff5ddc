// SPDX-License-Identifier: Zlib
//
// What becomes of the old value of a reload, and how much memory both take.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "assets/store_rig.hpp"

namespace overture::replaced_value_test {
namespace {

using namespace overture::literals;
using namespace overture::test;
using namespace std::chrono_literals;

constexpr asset_store_config at_once{.keep_bytes = 0, .reload_delay = std::chrono::nanoseconds(0)};

TEST(a_replaced_value, stays_while_a_function_of_a_loader_may_use_it) {
  store_rig rig({.workers = 2});
  rig.add("room", "wall.txt");
  rig.add("wall.txt", "old");
  rig.mount();
  barricade gate{barricade::raised};
  std::atomic<bool> entered{false};
  std::string seen;
  rig.lists.is_free = true;
  rig.lists.during_finalize = [&](list& value) {
    const words* const wall = value.texts[0].get();
    entered = true;
    gate.wait();
    seen = wall->text;
    return finalize_step::done;
  };
  rigged_store store(rig, at_once);
  const asset<list> room = store.get<list>("room"_path);
  const asset<words> wall = store.get<words>("wall.txt"_path);
  ASSERT_TRUE(pump_until(store, [&] { return entered.load(); }));
  rig.add("wall.txt", "new");
  store.reload("wall.txt");
  EXPECT_TRUE(pump_until(store, [&] { return wall.version() == 2; }));
  for (int i = 0; i < 10; ++i) store.pump(1ms);
  EXPECT_EQ(rig.happened.count("unload old"), 0u);
  gate.lower();
  EXPECT_TRUE(pump_until(store, [&] { return rig.happened.count("unload old") == 1; }));
  EXPECT_EQ(store.outcome(room), "ready");
  EXPECT_EQ(seen, "old");
}

TEST(a_replaced_value, stays_while_it_is_looked_at_in_decode) {
  store_rig rig({.workers = 2});
  rig.add("wall.txt", "old");
  rig.add("room.txt", "room");
  rig.mount();
  barricade gate{barricade::raised};
  std::atomic<bool> entered{false};
  asset<words> wall;
  std::string seen;
  rig.texts.before_decode = [&](const std::string& path) {
    if (path != "room.txt") return;
    const words* const shown = wall.get();
    entered = true;
    gate.wait();
    seen = shown->text;
  };
  rigged_store store(rig, at_once);
  wall = store.get<words>("wall.txt"_path);
  ASSERT_EQ(store.outcome(wall), "ready");
  const asset<words> room = store.get<words>("room.txt"_path);
  ASSERT_TRUE(pump_until(store, [&] { return entered.load(); }));
  rig.add("wall.txt", "new");
  store.reload("wall.txt");
  EXPECT_TRUE(pump_until(store, [&] { return wall.version() == 2; }));
  for (int i = 0; i < 10; ++i) store.pump(1ms);
  EXPECT_EQ(rig.happened.count("unload old"), 0u);
  gate.lower();
  EXPECT_TRUE(pump_until(store, [&] { return rig.happened.count("unload old") == 1; }));
  EXPECT_EQ(store.outcome(room), "ready");
  EXPECT_EQ(seen, "old");
  wall = {};
}

// What it waits for; "ready" if it is.
std::string wait_of(asset_store& store, const asset<words>& of) {
  std::string found = of.is_ready() ? "ready" : "";
  (void)store.for_each_unsettled([&](const unsettled_asset& each) {
    if (each.path.id == of.path().id) found = each.what;
  });
  return found;
}

TEST(a_replaced_value, takes_its_own_room_until_it_has_left) {
  store_rig rig({.workers = 2});
  rig.add("room", "wall.txt");
  rig.add("wall.txt", std::string(20'000, 'x'));
  rig.add("floor.txt", std::string(15'000, 'x'));
  rig.mount();
  barricade gate{barricade::raised};
  std::atomic<bool> entered{false};
  rig.lists.is_free = true;
  rig.lists.during_finalize = [&](list&) {
    entered = true;
    gate.wait();
    return finalize_step::done;
  };
  rigged_store store(
      rig, {.keep_bytes = 0, .budget_bytes = 56'000, .reload_delay = std::chrono::nanoseconds(0)});
  const asset<list> room = store.get<list>("room"_path);
  const asset<words> wall = store.get<words>("wall.txt"_path);
  ASSERT_TRUE(pump_until(store, [&] { return entered.load(); }));
  rig.add("wall.txt", "new");
  store.reload("wall.txt");
  ASSERT_TRUE(pump_until(store, [&] { return wall.version() == 2; }));
  const asset<words> floor = store.get<words>("floor.txt"_path);
  std::string what;
  ASSERT_TRUE(pump_until(store, [&] {
    what = wait_of(store, floor);
    return what == "ready" || what == "room in the budget";
  })) << what;
  EXPECT_NE(what, "ready");
  gate.lower();
  EXPECT_EQ(store.outcome(floor), "ready");
}

TEST(a_replaced_value, goes_at_once_if_no_loader_is_running) {
  store_rig rig({.workers = 0});
  rig.add("wall.txt", "old");
  rig.mount();
  rigged_store store(rig, at_once);
  const asset<words> wall = store.get<words>("wall.txt"_path);
  ASSERT_EQ(store.outcome(wall), "ready");
  rig.add("wall.txt", "new");
  store.reload("wall.txt");
  while (wall.version() != 2) store.pump(1ms);
  EXPECT_EQ(rig.happened.count("unload old"), 1u) << "in the pump() that replaced it";
}

// --- Memory --------------------------------------------------------------------------------------

struct block {
  explicit block(std::atomic<int>& of) : count(&of) { ++*count; }
  block(block&& other) noexcept : count(std::exchange(other.count, nullptr)) {}
  block& operator=(block&&) = delete;
  block(const block&) = delete;
  block& operator=(const block&) = delete;
  ~block() {
    if (count != nullptr) --*count;
  }
  std::atomic<int>* count;
};

class block_loader final : public loader<block> {
 public:
  static constexpr std::uint64_t bytes = 1u << 20;

  result<block> decode(std::span<const std::byte>, load_context&) override { return block(live); }
  [[nodiscard]] bool free_threaded() const noexcept override { return true; }
  [[nodiscard]] std::uint64_t memory_needed(const asset_path&,
                                            std::span<const std::byte>) const noexcept override {
    return bytes;
  }
  [[nodiscard]] std::uint64_t bytes_of(const block&) const noexcept override { return bytes; }

  std::atomic<int> live{0};
};

TEST(a_replaced_value, and_the_new_one_are_within_the_budget_until_it_has_left) {
  constexpr int count = 40;
  constexpr int budget = 4;
  store_rig rig({.workers = 0});
  for (int i = 0; i < count; ++i) rig.add(std::to_string(i), "x");
  rig.mount();
  block_loader blocks;
  asset_store store(rig.engine.files, rig.engine.reads, rig.engine.jobs,
                    {.keep_bytes = 0,
                     .budget_bytes = budget * block_loader::bytes,
                     .background_threads = 0,
                     .reload_delay = std::chrono::nanoseconds(0)});
  ASSERT_TRUE(store.add(blocks));
  std::vector<asset<block>> held;
  for (int i = 0; i < count; ++i) held.push_back(store.get<block>(std::to_string(i)));
  pump_until_settled(store);
  ASSERT_EQ(blocks.live, count);
  for (int i = 0; i < count; ++i) store.reload(std::to_string(i));
  store.pump(1ms);
  // All that goes on without pump(), which exchanges the values.
  for (int i = 0; i < 100; ++i) {
    while (rig.engine.jobs.try_help()) {
    }
    rig.engine.reads.drain();
  }
  EXPECT_LE(blocks.live, count + budget + 1);
  EXPECT_GT(blocks.live, count);
  EXPECT_TRUE(pump_until(store, [&] {
    return std::ranges::all_of(held, [](const asset<block>& one) { return one.version() == 2; });
  }));
  EXPECT_TRUE(pump_until(store, [&] { return blocks.live == count; }));
}

}  // namespace
}  // namespace overture::replaced_value_test
