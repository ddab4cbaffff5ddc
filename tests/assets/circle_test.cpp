// SPDX-License-Identifier: Zlib
//
// Circles of needs, and what becomes of their assets once a save or a retry has opened them.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "assets/store_rig.hpp"
#include "overture/sync/barricade.hpp"

namespace overture::circle_test {
namespace {

using namespace overture::literals;
using namespace overture::test;

constexpr asset_store_config at_once{.reload_delay = std::chrono::nanoseconds(0)};

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

// The reload that opens it is one that the store makes by itself, because its need has come: after
// the other has been tried for the program's word.
TEST(a_circle, that_a_reload_opens_which_failed_at_first_is_tried_again) {
  circle of(2, 0);
  of.open(1);
  of.rig.add("wall.txt", "wall");
  of.rig.add("late.txt", "broken");
  of.rig.mount();
  rigged_store store(of.rig, at_once);
  const asset<list> room0 = store.get<list>("room0"_path);
  const asset<list> room1 = store.get<list>("room1"_path);
  const asset<words> late = store.get<words>("late.txt"_path);
  ASSERT_EQ(store.outcome(room0), "ready");
  ASSERT_EQ(store.outcome(late), "corrupt");
  of.rig.add("room0", "late.txt");
  store.reload("room0");
  ASSERT_TRUE(pump_until(store, [&] { return !store.reload_status(room0); }));
  of.close(1);
  store.reload("room1");
  ASSERT_TRUE(pump_until(store, [&] { return !store.reload_status(room1); }));
  bool holds = true;
  of.rig.texts.during_finalize = [&](words&, std::chrono::nanoseconds) {
    return holds ? finalize_step::again : finalize_step::done;
  };
  of.rig.add("late.txt", "late");
  store.retry(late);
  ASSERT_TRUE(pump_until(store, [&] { return of.rig.happened.count("decode room1") == 3; }));
  for (int i = 0; i < 10; ++i) store.pump(std::chrono::milliseconds(1));
  EXPECT_FALSE(store.reload_status(room1)) << "room0 is as it was";
  holds = false;
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
}  // namespace overture::circle_test
