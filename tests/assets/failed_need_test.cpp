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

using namespace overture::literals;
using namespace overture::test;

constexpr asset_store_config at_once{.reload_delay = std::chrono::nanoseconds(0)};

template <class T>
std::string explained(const asset_store& store, const asset<T>& of) {
  char text[4000];
  return {text, store.explain(of, text)};
}

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
      if (!decodes) {
        EXPECT_EQ(explained(store, top), "top needs mid needs leaf.txt: broken words");
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

// A circle of assets: each needs the next one.
struct circle {
  store_rig rig;
  std::size_t size;

  circle(std::size_t of, unsigned workers) : rig({.workers = workers}), size(of) {
    for (std::size_t i = 0; i < size; ++i) close(i);
  }
  [[nodiscard]] static std::string path(std::size_t i) { return "room" + std::to_string(i); }
  void close(std::size_t i) { rig.add(path(i), "@" + path((i + 1) % size)); }
  void open(std::size_t i) { rig.add(path(i), "wall.txt"); }
};

TEST(a_circle, that_one_save_opens_anywhere_lets_all_of_it_load) {
  for (std::size_t size = 2; size <= 4; ++size) {
    for (std::size_t which = 0; which < 3 * size * size; ++which) {
      const auto workers = static_cast<unsigned>(which / (size * size));
      const std::size_t first = which / size % size;
      const std::size_t opened = which % size;
      SCOPED_TRACE(testing::Message()
                   << size << " assets, " << first << " asked for first, " << opened << " opened");
      circle of(size, workers);
      of.rig.add("wall.txt", "wall");
      of.rig.mount();
      rigged_store store(of.rig, at_once);
      std::vector<asset<list>> all;
      for (std::size_t i = 0; i < size; ++i) {
        all.push_back(store.get<list>(circle::path((first + i) % size)));
      }
      for (const asset<list>& each : all) ASSERT_EQ(store.outcome(each), "invalid");
      of.open(opened);
      store.reload(circle::path(opened));
      ASSERT_TRUE(pump_until(store, [&] {
        return std::ranges::all_of(all, [](const asset<list>& each) { return each.is_ready(); });
      }));
    }
  }
}

TEST(a_circle, that_one_save_closes_and_another_opens_leaves_no_failed_reload) {
  constexpr std::size_t size = 3;
  for (std::size_t which = 0; which < size * size; ++which) {
    const std::size_t closed = which / size;
    const std::size_t opened = which % size;
    SCOPED_TRACE(testing::Message() << closed << " closed, " << opened << " opened");
    circle of(size, 1);
    of.open(closed);
    of.rig.add("wall.txt", "wall");
    of.rig.mount();
    rigged_store store(of.rig, at_once);
    const asset<list> one = store.get<list>(circle::path(closed));
    const asset<list> above = store.get<list>(circle::path((closed + 1) % size));
    ASSERT_EQ(store.outcome(above), "ready");
    of.close(closed);
    store.reload(circle::path(closed));
    ASSERT_TRUE(pump_until(store, [&] { return !store.reload_status(one); }));
    of.open(opened);
    store.reload(circle::path(opened));
    ASSERT_TRUE(pump_until(store, [&] { return store.reload_status(one).has_value(); }));
  }
}

TEST(a_circle, that_stays_closed_is_tried_once_for_each_save) {
  circle of(3, 1);
  of.rig.mount();
  rigged_store store(of.rig, at_once);
  const asset<list> first = store.get<list>("room0"_path);
  ASSERT_EQ(store.outcome(first), "invalid");
  for (std::size_t saves = 1; saves <= 3; ++saves) {
    store.reload("room1");
    for (int i = 0; i < 100; ++i) store.pump(std::chrono::milliseconds(1));
    EXPECT_LE(of.rig.happened.count("decode room0"), 1 + 2 * saves);
    EXPECT_EQ(store.outcome(first), "invalid");
  }
}

// Holds a load of a path where its circle is closed, but it has not failed yet.
struct held_decode {
  explicit held_decode(store_rig& rig, std::string path) {
    rig.lists.after_needs = [this, path = std::move(path)](const std::string& decoded) {
      if (decoded != path || !holds) return;
      has_needs.lower();
      goes_on.wait();
    };
  }
  std::atomic<bool> holds{true};
  barricade has_needs{barricade::raised};
  barricade goes_on{barricade::raised};
};

TEST(a_circle, that_a_save_opens_before_it_has_failed_is_tried_again) {
  circle of(2, 2);
  of.rig.add("wall.txt", "wall");
  of.rig.mount();
  held_decode second(of.rig, "room1");
  rigged_store store(of.rig, at_once);
  const asset<list> room0 = store.get<list>("room0"_path);
  ASSERT_TRUE(pump_until(store, [&] { return second.has_needs.is_lowered(); }));
  const asset<list> room1 = store.get<list>("room1"_path);
  of.open(0);
  store.reload("room0");
  ASSERT_TRUE(pump_until(store, [&] { return room0.is_ready(); }));
  for (int i = 0; i < 10; ++i) store.pump(std::chrono::milliseconds(1));
  second.holds = false;
  second.goes_on.lower();
  ASSERT_TRUE(pump_until(store, [&] { return room1.is_ready(); }));
}

TEST(a_circle, that_a_save_opens_before_its_reload_has_failed_is_tried_again) {
  circle of(2, 2);
  of.open(1);
  of.rig.add("wall.txt", "wall");
  of.rig.mount();
  held_decode second(of.rig, "room1");
  second.holds = false;
  rigged_store store(of.rig, at_once);
  const asset<list> room0 = store.get<list>("room0"_path);
  const asset<list> room1 = store.get<list>("room1"_path);
  ASSERT_EQ(store.outcome(room0), "ready");
  second.holds = true;
  of.close(1);
  store.reload("room1");
  ASSERT_TRUE(pump_until(store, [&] { return second.has_needs.is_lowered(); }));
  of.open(0);
  store.reload("room0");
  ASSERT_TRUE(pump_until(store, [&] { return room0.version() == 2; }));
  for (int i = 0; i < 10; ++i) store.pump(std::chrono::milliseconds(1));
  second.holds = false;
  second.goes_on.lower();
  ASSERT_TRUE(pump_until(store, [&] { return room1.version() == 2; }));
  EXPECT_TRUE(store.reload_status(room1));
}

// The reload that opens it is one that the store makes by itself, because its need has come.
TEST(a_circle, that_a_reload_opens_which_failed_at_first_is_tried_again) {
  circle of(2, 0);
  of.open(1);
  of.rig.add("wall.txt", "wall");
  of.rig.add("late.txt", "broken");
  of.rig.mount();
  rigged_store store(of.rig, at_once);
  const asset<list> room0 = store.get<list>("room0"_path);
  const asset<list> room1 = store.get<list>("room1"_path);
  ASSERT_EQ(store.outcome(room0), "ready");
  of.rig.add("room0", "late.txt");
  store.reload("room0");
  ASSERT_TRUE(pump_until(store, [&] { return !store.reload_status(room0); }));
  of.close(1);
  store.reload("room1");
  ASSERT_TRUE(pump_until(store, [&] { return !store.reload_status(room1); }));
  of.rig.add("late.txt", "late");
  store.reload("late.txt");
  ASSERT_TRUE(pump_until(store, [&] { return room0.version() == 2 && room1.version() == 2; }));
}

TEST(a_circle, that_what_is_held_needs_twice_is_tried_again_once_it_is_opened) {
  for (const unsigned workers : {0u, 1u}) {
    store_rig rig({.workers = workers});
    rig.add("a", "@b\n@c");
    rig.add("b", "@c");
    rig.add("c", "@b");
    rig.mount();
    rigged_store store(rig, at_once);
    const asset<list> a = store.get<list>("a"_path);
    ASSERT_EQ(store.outcome(a), "invalid");
    rig.add("b", "");
    store.reload("b");
    EXPECT_TRUE(pump_until(store, [&] { return a.is_ready(); })) << explained(store, a);
  }
}

TEST(a_circle, that_what_was_let_go_of_had_closed_is_opened_for_a_reload) {
  for (const unsigned workers : {0u, 1u}) {
    store_rig rig({.workers = workers});
    rig.add("x", "");
    rig.add("y", "@z");
    rig.add("z", "@x");
    rig.add("m", "@y");
    rig.mount();
    rigged_store store(rig, at_once);
    const asset<list> x = store.get<list>("x"_path);
    const asset<list> y = store.get<list>("y"_path);
    ASSERT_EQ(store.outcome(y), "ready");
    rig.add("x", "@m");
    store.reload("x");
    ASSERT_TRUE(pump_until(store, [&] { return !store.reload_status(x); }));
    rig.add("y", "");
    store.reload("y");
    EXPECT_TRUE(pump_until(store, [&] { return !x->lists.empty(); })) << explained(store, x);
    EXPECT_TRUE(store.reload_status(x));
  }
}

TEST(a_circle, of_assets_that_fail_by_themselves_too_is_tried_once_for_each_retry) {
  for (const unsigned workers : {0u, 1u, 3u}) {
    store_rig rig({.workers = workers});
    rig.add("a", "@b");
    rig.add("b", "@a");
    rig.mount();
    rig.lists.after_needs = [](const std::string&) { throw std::runtime_error("flawed"); };
    rigged_store store(rig);
    const asset<list> a = store.get<list>("a"_path);
    const asset<list> b = store.get<list>("b"_path);
    ASSERT_TRUE(store.wait_for(a, hang));
    ASSERT_TRUE(store.wait_for(b, hang));
    const std::size_t before = rig.happened.lines().size();
    store.retry(a);
    for (int i = 0; i < 100; ++i) store.pump(std::chrono::milliseconds(1));
    ASSERT_TRUE(store.wait_for(a, hang));
    ASSERT_TRUE(store.wait_for(b, hang));
    // And once more if one of them had closed the circle, which a retry may open.
    EXPECT_LE(rig.happened.lines().size(), before + 4) << workers;
    EXPECT_GE(rig.happened.lines().size(), before + 1) << workers;
  }
}

TEST(a_circle, that_a_retry_opens_lets_all_load_that_had_closed_it) {
  store_rig rig({.workers = 1});
  rig.add("hub", "@left\n@right");
  rig.add("left", "@hub");
  rig.add("right", "@hub");
  rig.mount();
  rigged_store store(rig, at_once);
  const asset<list> hub = store.get<list>("hub"_path);
  const asset<list> left = store.get<list>("left"_path);
  const asset<list> right = store.get<list>("right"_path);
  for (const asset<list>& each : {hub, left, right}) ASSERT_EQ(store.outcome(each), "invalid");
  rig.add("hub", "");
  store.retry(hub);
  ASSERT_TRUE(
      pump_until(store, [&] { return hub.is_ready() && left.is_ready() && right.is_ready(); }));
}

}  // namespace
}  // namespace overture::failed_need_test
