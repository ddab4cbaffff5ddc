// SPDX-License-Identifier: Zlib
//
// What becomes of assets that failed because of another, when that one can be loaded.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "assets/store_rig.hpp"
#include "overture/sync/barricade.hpp"

namespace overture::failed_need_test {
namespace {

using namespace std::chrono_literals;
using namespace overture::literals;
using namespace overture::test;

constexpr asset_store_config at_once{.reload_delay = std::chrono::nanoseconds(0)};

TEST(a_failed_need, that_is_mended_lets_all_that_failed_for_it_load) {
  store_rig rig;
  rig.add("level", "@room");
  rig.add("next level", "@room");
  rig.add("room", "wall.txt");
  rig.add("wall.txt", "broken");
  rig.add("other", "nowhere.txt");
  rig.mount();
  rigged_store store(rig, at_once);
  const asset<list> level = store.get<list>("level"_path);
  const asset<list> next = store.get<list>("next level");
  const asset<list> other = store.get<list>("other"_path);
  ASSERT_EQ(store.outcome(level), "corrupt");
  ASSERT_EQ(store.outcome(next), "corrupt");
  ASSERT_EQ(store.outcome(other), "not_found");
  rig.add("wall.txt", "wall");
  store.reload("wall.txt");
  ASSERT_TRUE(pump_until(store, [&] { return level.is_ready() && next.is_ready(); }));
  EXPECT_EQ(level->lists[0]->texts[0]->text, "wall");
  EXPECT_EQ(store.outcome(other), "not_found") << "its need has not come";
}

// Asked for by itself, and dropped in each state that it has on its way.
TEST(a_failed_need, that_is_mended_counts_though_it_is_let_go_of_before_it_is_ready) {
  for (const asset_state dropped_in : {asset_state::queued, asset_state::reading,
                                       asset_state::decoding, asset_state::finalizing}) {
    store_rig rig({.workers = 0});
    rig.add("room", "wall.txt");
    rig.add("wall.txt", "broken");
    rig.mount();
    rigged_store store(rig, {.keep_bytes = 0, .background_threads = 0, .reload_delay = 0ns});
    const asset<list> room = store.get<list>("room"_path);
    ASSERT_EQ(store.outcome(room), "corrupt");
    rig.add("wall.txt", "wall");
    store.reload("wall.txt");
    {
      const asset<words> wall = store.get<words>("wall.txt"_path);
      while (wall.state() < dropped_in) (void)rig.engine.jobs.try_help();
    }
    EXPECT_TRUE(pump_until(store, [&] { return room.is_ready(); })) << to_string(dropped_in);
  }
}

TEST(a_failed_need, is_tried_again_by_a_retry_however_far_away_and_whoever_holds_it) {
  for (std::size_t needs_away = 1; needs_away <= 4; ++needs_away) {
    for (const bool holds_between : {false, true}) {
      store_rig rig;
      const auto name = [](std::size_t which) { return "list " + std::to_string(which); };
      rig.add(name(1), "wall.txt");
      for (std::size_t i = 2; i <= needs_away; ++i) rig.add(name(i), "@" + name(i - 1));
      rig.add("wall.txt", "broken");
      rig.mount();
      rigged_store store(rig, at_once);
      const asset<words> wall = store.get<words>("wall.txt"_path);
      asset<list> between;
      if (holds_between && needs_away > 1) between = store.get<list>(name(needs_away - 1));
      const asset<list> root = store.get<list>(name(needs_away));
      ASSERT_EQ(store.outcome(root), "corrupt");
      rig.add("wall.txt", "wall");
      store.retry(root);
      EXPECT_EQ(store.outcome(root), "ready") << needs_away << " needs away";
      EXPECT_EQ(store.outcome(wall), "ready");
    }
  }
}

TEST(a_failed_need, that_is_mended_lets_the_reload_that_failed_for_it_go_on) {
  store_rig rig;
  rig.add("room", "floor.txt");
  rig.add("floor.txt", "floor");
  rig.add("wall.txt", "broken");
  rig.mount();
  rigged_store store(rig, at_once);
  const asset<list> room = store.get<list>("room"_path);
  ASSERT_EQ(store.outcome(room), "ready");
  rig.add("room", "wall.txt");
  store.reload("room");
  ASSERT_TRUE(pump_until(store, [&] { return !store.reload_status(room); }));
  EXPECT_EQ(room->texts[0]->text, "floor");
  rig.add("wall.txt", "wall");
  store.reload("wall.txt");
  ASSERT_TRUE(pump_until(store, [&] { return room.version() == 2; }));
  EXPECT_EQ(room->texts[0]->text, "wall");
  EXPECT_TRUE(store.reload_status(room));
}

TEST(a_failed_need, that_is_mended_while_another_is_awaited_counts_as_mended) {
  store_rig rig;
  rig.add("room", "wall.txt\nfloor.txt");
  rig.add("wall.txt", "broken");
  rig.add("floor.txt", "floor");
  rig.mount();
  barricade gate{barricade::raised};
  rig.texts.before_decode = [&](const std::string& path) {
    if (path == "floor.txt") gate.wait();
  };
  rigged_store store(rig, at_once);
  const asset<list> room = store.get<list>("room"_path);
  const asset<words> wall = store.get<words>("wall.txt"_path);
  ASSERT_EQ(store.outcome(wall), "corrupt");
  ASSERT_TRUE(pump_until(store, [&] { return room.state() == asset_state::needing; }));
  rig.add("wall.txt", "wall");
  store.reload("wall.txt");
  ASSERT_TRUE(pump_until(store, [&] { return wall.is_ready(); }));
  gate.lower();
  EXPECT_TRUE(pump_until(store, [&] { return room.is_ready(); })) << explained(store, room);
}

TEST(a_failed_need, is_retried_though_its_parent_failed_before_it_asked_for_it) {
  store_rig rig;
  rig.add("room", "wall.txt");
  rig.add("wall.txt", "broken");
  rig.mount();
  bool fails = true;
  rig.lists.before_decode = [&](const std::string&) {
    if (fails) throw std::runtime_error("list");
  };
  rigged_store store(rig);
  const asset<words> wall = store.get<words>("wall.txt"_path);
  ASSERT_EQ(store.outcome(wall), "corrupt");
  const asset<list> room = store.get<list>("room"_path);
  ASSERT_EQ(store.outcome(room), "threw");
  fails = false;
  rig.add("wall.txt", "wall");
  store.retry(room);
  EXPECT_EQ(store.outcome(room), "ready");
  EXPECT_EQ(store.outcome(wall), "ready");
}

TEST(a_failed_need, that_fails_again_is_not_tried_for_ever) {
  store_rig rig;
  rig.add("room", "wall.txt");
  rig.add("wall.txt", "broken");
  rig.mount();
  rigged_store store(rig, at_once);
  const asset<list> room = store.get<list>("room"_path);
  ASSERT_EQ(store.outcome(room), "corrupt");
  store.reload("wall.txt");
  ASSERT_TRUE(pump_until(store, [&] { return rig.happened.count("decode wall.txt") == 2; }));
  ASSERT_EQ(store.outcome(room), "corrupt");
  for (int i = 0; i < 200; ++i) store.pump(std::chrono::milliseconds(1));
  EXPECT_LE(rig.happened.count("decode room"), 2u);
  EXPECT_EQ(rig.happened.count("decode wall.txt"), 2u);
}

TEST(a_failed_need, that_is_mended_is_noticed_though_others_are_asked_for_meanwhile) {
  store_rig rig({.workers = 0});
  rig.add("room", "wall.txt");
  rig.add("wall.txt", "broken");
  rig.mount();
  rigged_store store(rig, at_once);
  const asset<list> room = store.get<list>("room"_path);
  ASSERT_EQ(store.outcome(room), "corrupt");
  std::vector<asset<words>> others;
  for (int saves = 0; saves < 2; ++saves) {
    if (saves == 1) rig.add("wall.txt", "wall");
    store.reload("wall.txt");
    store.pump(std::chrono::nanoseconds(1));
    for (int i = 0; i < 10; ++i) others.push_back(store.get<words>(std::to_string(10 * saves + i)));
    for (int i = 0; i < 100; ++i) store.pump(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(store.outcome(room), "ready");
}

TEST(a_failed_need, that_fails_again_for_another_reason_is_the_reason_of_others_too) {
  store_rig rig;
  rig.add("top", "@mid");
  rig.add("mid", "leaf.txt");
  rig.add("leaf.txt", "broken");
  rig.mount();
  rigged_store store(rig);
  const asset<list> top = store.get<list>("top"_path);
  ASSERT_EQ(store.outcome(top), "corrupt");
  const asset<list> mid = store.get<list>("mid"_path);
  ASSERT_EQ(store.outcome(mid), "corrupt");
  rig.add("leaf.txt", "throws");
  store.retry(mid);
  ASSERT_TRUE(pump_until(store, [&] { return mid.status().error().code == errc::threw; }));
  EXPECT_EQ(explained(store, top),
            "top needs mid needs leaf.txt: loader::decode() threw an exception");
  EXPECT_EQ(top.status().error().code, errc::threw);
}

TEST(a_failed_need, is_named_at_the_end_of_however_long_a_chain) {
  store_rig rig;
  for (int i = 0; i < 30; ++i) {
    rig.add("c" + std::to_string(i), i < 29 ? "@c" + std::to_string(i + 1) : "bad.txt");
  }
  rig.add("bad.txt", "broken");
  rig.mount();
  rigged_store store(rig);
  const asset<list> first = store.get<list>("c0"_path);
  ASSERT_EQ(store.outcome(first), "corrupt");
  EXPECT_EQ(explained(store, first),
            "c0 needs c1 needs c2 needs c3 needs c4 needs c5 needs c6 needs c7 needs ... (15 more) "
            "needs c23 needs c24 needs c25 needs c26 needs c27 needs c28 needs c29 needs bad.txt: "
            "broken words");
}

TEST(a_failed_need, of_a_circle_is_named_once) {
  store_rig rig;
  rig.add("a", "@b");
  rig.add("b", "@c");
  rig.add("c", "@a");
  rig.mount();
  rigged_store store(rig);
  const asset<list> a = store.get<list>("a"_path);
  ASSERT_EQ(store.outcome(a), "invalid");
  const std::string text = explained(store, a);
  EXPECT_EQ(text.find("a needs", 1), text.npos) << text;
}

// What an asset is to blame for is not forgotten when it is asked for, and let go of before it has
// failed again.
TEST(a_failed_need, that_was_let_go_of_while_it_loaded_is_not_forgotten) {
  for (const bool decodes : {false, true}) {
    for (const bool by_reload : {false, true}) {
      SCOPED_TRACE(testing::Message() << decodes << by_reload);
      store_rig rig({.workers = 1});
      rig.add("top", by_reload ? "" : "@mid");
      rig.add("mid", "leaf.txt");
      rig.add("leaf.txt", "broken");
      rig.add("another", "");
      rig.mount();
      barricade decoding{barricade::raised};
      barricade gate{barricade::raised};
      std::atomic<bool> holds{false};
      rig.lists.before_decode = [&](const std::string& path) {
        if (path != (decodes ? "mid" : "another") || !holds) return;
        decoding.lower();
        gate.wait();
      };
      rigged_store store(rig, {.keep_bytes = 0, .reload_delay = std::chrono::nanoseconds(0)});
      const asset<list> top = store.get<list>("top"_path);
      ASSERT_TRUE(store.wait_for(top, hang));
      if (by_reload) {
        rig.add("top", "@mid");
        store.reload("top");
        ASSERT_TRUE(pump_until(store, [&] { return !store.reload_status(top); }));
      }
      ASSERT_TRUE(pump_until(store, [&] { return store.progress().asked == 1; }));
      holds = true;
      // While its worker decodes it, or another asset.
      asset<list> another;
      if (!decodes) {
        another = store.get<list>("another"_path);
        decoding.wait();
      }
      {
        const asset<list> look = store.get<list>("mid"_path);
        if (decodes) decoding.wait();
      }
      store.pump(std::chrono::milliseconds(1));
      holds = false;
      gate.lower();
      ASSERT_TRUE(pump_until(store, [&] { return store.progress().waiting_bytes == 0; }));
      if (!decodes) {  // the top one may be tried again meanwhile
        ASSERT_TRUE(pump_until(store, [&] {
          return explained(store, top) == "top needs mid needs leaf.txt: broken words";
        }));
      }
      rig.add("leaf.txt", "leaf");
      store.reload("leaf.txt");
      ASSERT_TRUE(pump_until(store, [&] {
        return top.is_ready() && store.reload_status(top) && !top->lists.empty();
      }));
      EXPECT_EQ(top->lists[0]->texts[0]->text, "leaf");
    }
  }
}

TEST(a_failed_need, whose_error_its_parent_returns_is_to_blame_all_the_same) {
  for (const unsigned workers : {0u, 1u}) {
    store_rig rig({.workers = workers});
    rig.add("room", "wall.txt");
    rig.add("wall.txt", "broken");
    rig.mount();
    rig.lists.returns_errors = true;
    rigged_store store(rig, at_once);
    const asset<words> wall = store.get<words>("wall.txt"_path);
    ASSERT_EQ(store.outcome(wall), "corrupt");
    const asset<list> room = store.get<list>("room"_path);
    ASSERT_EQ(store.outcome(room), "corrupt");
    EXPECT_EQ(explained(store, room), "room needs wall.txt: broken words");
    rig.add("wall.txt", "wall");
    store.reload("wall.txt");
    EXPECT_TRUE(pump_until(store, [&] { return room.is_ready(); })) << explained(store, room);
  }
}

TEST(a_failed_need, is_not_to_blame_for_another_error_of_its_parent) {
  store_rig rig({.workers = 0});
  rig.add("room", "wall.txt");
  rig.add("wall.txt", "broken");
  rig.mount();
  rigged_store store(rig, at_once);
  const asset<words> wall = store.get<words>("wall.txt"_path);
  ASSERT_EQ(store.outcome(wall), "corrupt");
  rig.lists.returns = error{.code = errc::corrupt, .reason = "no room"};
  const asset<list> room = store.get<list>("room"_path);
  ASSERT_EQ(store.outcome(room), "corrupt");
  EXPECT_EQ(explained(store, room), "room: no room");
}

// What came from version control at once, while what is between them is not held.
TEST(a_failed_need, that_comes_before_what_needs_it_by_others_has_them_tried_again) {
  for (const bool from_above : {false, true}) {
    store_rig rig({.workers = 0});
    rig.add("room", "");
    rig.add("walls", "@shared");
    rig.add("shared", "wall.txt");
    rig.add("wall.txt", "broken");
    rig.mount();
    bool is_bad = true;
    rig.lists.before_decode = [&](const std::string& path) {
      if (is_bad && path == "room") throw std::runtime_error("room");
    };
    rigged_store store(rig, at_once);
    const asset<list> shared = store.get<list>("shared"_path);
    const asset<list> room = store.get<list>("room"_path);
    ASSERT_EQ(store.outcome(shared), "corrupt");
    ASSERT_EQ(store.outcome(room), "threw");
    is_bad = false;
    rig.add("room", "wall.txt\n@walls");
    rig.add("wall.txt", "wall");
    for (const char* path : {"room", "walls", "wall.txt"}) {
      if (from_above) store.reload(path);
    }
    for (const char* path : {"wall.txt", "walls", "room"}) {
      if (!from_above) store.reload(path);
    }
    EXPECT_TRUE(pump_until(store, [&] { return shared.is_ready() && room.is_ready(); }))
        << explained(store, room);
  }
}

// However often it was tried in vain.
TEST(a_failed_need, that_is_mended_after_many_saves_lets_all_that_failed_for_it_load) {
  store_rig rig({.workers = 1});
  rig.add("room", "wall.txt");
  rig.add("wall.txt", "broken");
  rig.mount();
  rigged_store store(rig, at_once);
  const asset<list> room = store.get<list>("room"_path);
  ASSERT_EQ(store.outcome(room), "corrupt");
  for (std::size_t saves = 1; saves <= 10; ++saves) {
    store.reload("wall.txt");
    ASSERT_TRUE(pump_until(store, [&] { return rig.happened.count("decode room") > saves; }));
    ASSERT_EQ(store.outcome(room), "corrupt");
  }
  rig.add("wall.txt", "mended");
  store.reload("wall.txt");
  EXPECT_TRUE(pump_until(store, [&] { return room.is_ready(); }));
}

}  // namespace
}  // namespace overture::failed_need_test
