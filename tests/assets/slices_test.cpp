// SPDX-License-Identifier: Zlib
//
// asset_store: what pump() does of a great many things at once, and what the counts say meanwhile.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "assets/store_rig.hpp"

namespace overture::slices_test {
namespace {

using namespace std::chrono_literals;
using namespace overture::literals;
using test::rigged_store;
using test::store_rig;
using test::words;

constexpr int many = 1000;
constexpr int few = 200;  // a slice or two

struct many_rig : store_rig {
  many_rig() : store_rig({.workers = 0}) {
    for (int i = 0; i < many; ++i) add(std::to_string(i), "text");
    add("large", std::string(many * 4, 'x'));
    mount();
  }
};

struct many_store : rigged_store {
  many_store(many_rig& rig, const asset_store_config& config) : rigged_store(rig, config) {
    for (int i = 0; i < many; ++i) held.push_back(get<words>(std::to_string(i)));
    for (const asset<words>& each : held) EXPECT_EQ(outcome(each), "ready");
  }
  int count_of(asset_state wanted, std::uint32_t handles) {
    int sum = 0;
    (void)for_each_asset([&](const known_asset& one) {
      sum += one.state == wanted && one.handles == handles ? 1 : 0;
    });
    return sum;
  }

  std::vector<asset<words>> held;
};

TEST(asset_slices, pump_decides_about_some_of_what_is_dropped) {
  many_rig rig;
  many_store store(rig, {.keep_bytes = 0});
  store.held.clear();
  for (int frames = 1; frames <= 3; ++frames) {
    const pump_result did = store.pump(0ns);
    EXPECT_LE(did.unloaded, 1u);
    EXPECT_GE(store.count_of(asset_state::ready, 0), many - frames * few);
  }
  while (store.progress().waiting_bytes > 0) store.pump(1ms);
  EXPECT_EQ(rig.happened.count("unload text"), static_cast<std::size_t>(many));
}

TEST(asset_slices, a_job_in_pump_unloads_some_of_what_any_thread_may) {
  many_rig rig;
  rig.texts.is_free = true;
  many_store store(rig, {.keep_bytes = 0});
  store.held.clear();
  for (std::size_t before = 0; before < static_cast<std::size_t>(many);) {
    store.pump(0ns);
    const std::size_t now = rig.happened.count("unload text");
    EXPECT_LE(now - before, static_cast<std::size_t>(few));
    before = now;
  }
}

TEST(asset_slices, progress_knows_at_once_what_is_dropped) {
  many_rig rig;
  many_store store(rig, {});
  const asset<words> last = store.held.back();
  store.held.clear();
  const asset_progress now = store.progress();
  EXPECT_EQ(now.asked, 1u);
  EXPECT_EQ(now.ready, 1u);
  EXPECT_EQ(now.kept, static_cast<std::uint64_t>(many - 1));
  EXPECT_EQ(now.kept_bytes, 4u * (many - 1));
  EXPECT_EQ(now.held_bytes, 4u);
}

TEST(asset_slices, pump_drops_some_of_what_is_kept_in_excess) {
  many_rig rig;
  many_store store(rig, {.keep_bytes = many * 4});
  asset<words> large = store.get<words>("large"_path);
  ASSERT_EQ(store.outcome(large), "ready");
  store.held.clear();
  EXPECT_EQ(store.progress().kept, static_cast<std::uint64_t>(many));
  large = {};
  store.pump(0ns);
  EXPECT_GE(store.count_of(asset_state::ready, 0), many - few);
  while (store.progress().kept > 1) store.pump(1ms);
  EXPECT_EQ(store.progress().kept_bytes, 4u * many);
}

TEST(asset_slices, pump_begins_and_ends_some_of_the_reloads) {
  many_rig rig;
  rig.texts.is_free = true;
  many_store store(rig, {.keep_bytes = 0, .reload_delay = 0ns});
  for (int i = 0; i < many; ++i) store.reload(std::to_string(i));
  const auto versions = [&] {
    int sum = 0;
    for (const asset<words>& each : store.held) sum += each.version() == 2 ? 1 : 0;
    return sum;
  };
  store.pump(0ns);
  EXPECT_GE(store.count_of(asset_state::ready, 1), many - few) << "a reload holds its asset";
  for (int before = 0; before < many;) {
    store.pump(0ns);
    const int now = versions();
    EXPECT_LE(now - before, few);
    before = now;
    // The jobs of the reloads, and none of their ends.
    while (rig.engine.jobs.try_help()) {
    }
  }
  for (const asset<words>& each : store.held) EXPECT_TRUE(store.reload_status(each));
}

}  // namespace
}  // namespace overture::slices_test
