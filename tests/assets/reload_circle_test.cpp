// SPDX-License-Identifier: Zlib
//
// asset_store: reloads of assets that need each other. A circle is one of the newest values.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "assets/store_rig.hpp"

namespace overture::reload_circle_test {
namespace {

using namespace std::chrono_literals;
using namespace overture::literals;
using test::list;
using test::pump_until;
using test::rigged_store;
using test::store_rig;
using test::words;

constexpr asset_store_config at_once{.keep_bytes = 0, .reload_delay = 0ns};

TEST(asset_reload_circle, is_none_if_one_save_turns_a_need_round) {
  for (const bool a_first : {false, true}) {
    for (const unsigned workers : {0u, 1u, 2u}) {
      SCOPED_TRACE(testing::Message() << a_first << workers);
      store_rig rig({.workers = workers});
      rig.add("a", "@b");
      rig.add("b", "wall.txt");
      rig.add("wall.txt", "wall");
      rig.mount();
      rigged_store store(rig, at_once);
      const asset<list> a = store.get<list>("a"_path);
      const asset<list> b = store.get<list>("b"_path);
      ASSERT_EQ(store.outcome(a), "ready");
      rig.add("a", "wall.txt");
      rig.add("b", "@a");
      store.reload(a_first ? "a" : "b");
      store.reload(a_first ? "b" : "a");
      ASSERT_TRUE(pump_until(store, [&] { return a.version() == 2 && b.version() == 2; }));
      EXPECT_TRUE(store.reload_status(a));
      EXPECT_TRUE(store.reload_status(b));
      EXPECT_EQ(b->lists[0]->texts[0]->text, "wall");
    }
  }
}

TEST(asset_reload_circle, is_judged_anew_once_a_reload_has_failed) {
  store_rig rig({.workers = 1});
  rig.add("a", "@b");
  rig.add("b", "wall.txt");
  rig.add("wall.txt", "wall");
  rig.mount();
  rigged_store store(rig, at_once);
  const asset<list> a = store.get<list>("a"_path);
  const asset<list> b = store.get<list>("b"_path);
  ASSERT_EQ(store.outcome(a), "ready");
  rig.add("a", "gone.txt");
  rig.add("b", "@a");
  store.reload("a");
  store.reload("b");
  ASSERT_TRUE(
      pump_until(store, [&] { return !store.reload_status(a) && !store.reload_status(b); }));
  EXPECT_EQ(store.reload_status(a).error().code, errc::not_found);
  EXPECT_STREQ(store.reload_status(b).error().reason, "they need each other in a circle");
  EXPECT_EQ(b->texts[0]->text, "wall");
  rig.add("a", "wall.txt");
  store.reload("a");
  store.reload("b");
  ASSERT_TRUE(pump_until(store, [&] { return a.version() == 2 && b.version() == 2; }));
}

// The new asset waits for a reload that is not due yet, and wait_for() wakes for that by itself.
TEST(asset_reload_circle, by_way_of_an_asset_that_is_new_is_waited_for) {
  store_rig rig({.workers = 1});
  rig.add("a", "@b");
  rig.add("b", "wall.txt");
  rig.add("wall.txt", "wall");
  rig.add("new", "@a");
  rig.mount();
  barricade decoding{barricade::raised};
  barricade gate{barricade::raised};
  rig.lists.before_decode = [&](const std::string& path) {
    if (path != "new") return;
    decoding.lower();
    gate.wait();
  };
  rigged_store store(rig, {.keep_bytes = 0, .reload_delay = 20ms});
  const asset<list> a = store.get<list>("a"_path);
  const asset<list> b = store.get<list>("b"_path);
  ASSERT_EQ(store.outcome(a), "ready");
  rig.add("b", "@new");
  store.reload("b");
  ASSERT_TRUE(pump_until(store, [&] { return decoding.is_lowered(); }));
  rig.add("a", "wall.txt");
  store.reload("a");
  gate.lower();
  const asset<list> fresh = store.get<list>("new"_path);
  EXPECT_EQ(store.outcome(fresh), "ready");
  EXPECT_EQ(a.version(), 2u);
  EXPECT_EQ(fresh->lists[0]->texts[0]->text, "wall");
  ASSERT_TRUE(pump_until(store, [&] { return b.version() == 2; }));
}

// The reload of one that needs what has failed waits until that has been tried again.
TEST(asset_reload_circle, nor_does_the_order_matter_of_what_had_failed) {
  for (const bool a_first : {false, true}) {
    for (const unsigned workers : {0u, 1u}) {
      store_rig rig({.workers = workers});
      rig.add("a", "wall.txt");
      rig.add("wall.txt", "wall");
      rig.mount();
      rigged_store store(rig, at_once);
      const asset<list> a = store.get<list>("a"_path);
      ASSERT_EQ(store.outcome(a), "ready");
      const asset<list> fresh = store.get<list>("wall.txt"_path);  // as a list: needs "wall"
      ASSERT_EQ(store.outcome(fresh), "not_found");
      rig.add("wall.txt", "");
      rig.add("a", "@wall.txt");
      store.reload(a_first ? "a" : "wall.txt");
      store.reload(a_first ? "wall.txt" : "a");
      ASSERT_TRUE(pump_until(store, [&] { return a.version() == 2; }));
      EXPECT_TRUE(fresh.is_ready());
    }
  }
}

TEST(asset_reload_circle, a_wait_for_what_needs_it_lasts_until_it_was_tried_again) {
  store_rig rig({.workers = 1});
  rig.add("a", "broken.txt");
  rig.add("broken.txt", "broken");
  rig.mount();
  rigged_store store(rig, {.keep_bytes = 0, .reload_delay = 20ms});
  const asset<words> broken = store.get<words>("broken.txt"_path);
  ASSERT_EQ(store.outcome(broken), "corrupt");
  rig.add("broken.txt", "mended");
  store.reload("broken.txt");
  const asset<list> a = store.get<list>("a"_path);
  EXPECT_EQ(store.outcome(a), "ready");
  EXPECT_EQ(a->texts[0]->text, "mended");
}

// What waits for a circle to be none begins again if its own file changes.
TEST(asset_reload_circle, of_what_is_being_loaded_is_undone_by_the_next_save) {
  store_rig rig({.workers = 3});
  rig.add("a", "@b");
  rig.add("b", "wall.txt");
  rig.add("wall.txt", "wall");
  rig.add("c", "wall.txt");
  rig.mount();
  barricade decoding{barricade::raised};
  barricade gate{barricade::raised};
  rig.texts.before_decode = [&](const std::string& path) {
    if (path != "wall.txt") return;
    decoding.lower();
    gate.wait();
  };
  rigged_store store(rig, at_once);
  // Both wait for the wall.
  const asset<list> a = store.get<list>("a"_path);
  const asset<list> c = store.get<list>("c"_path);
  decoding.wait();
  while (a.state() != asset_state::needing || c.state() != asset_state::needing) {
    std::this_thread::yield();
  }
  rig.add("a", "");
  rig.add("c", "@a");
  for (const char* each : {"a", "c"}) store.reload(each);
  ASSERT_TRUE(pump_until(store, [&] { return c.is_ready(); })) << "though the wall is not";
  EXPECT_EQ(c->lists[0].path().text, "a");
  EXPECT_EQ(c.version(), 1u);
  gate.lower();
}

// The needs of each of n assets, as bits.
using graph = std::vector<unsigned>;

graph some_graph(std::minstd_rand& random, unsigned n) {
  // In a random order, each needs some of those before it.
  std::vector<unsigned> order(n);
  for (unsigned i = 0; i < n; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  graph made(n, 0);
  for (unsigned i = 0; i < n; ++i) {
    for (unsigned k = 0; k < i; ++k) {
      if (random() % 3 == 0) made[order[i]] |= 1u << order[k];
    }
  }
  return made;
}

std::string file_of(unsigned needs, int round) {
  std::string lines = round % 2 == 0 ? "even.txt\n" : "odd.txt\n";
  for (unsigned i = 0; needs >> i != 0; ++i) {
    if ((needs >> i & 1u) != 0) lines += "@" + std::to_string(i) + "\n";
  }
  return lines;
}

TEST(asset_reload_circle, is_none_between_any_two_graphs_without_one) {
  constexpr unsigned n = 6;
  std::minstd_rand random(1);
  for (const unsigned workers : {0u, 1u, 3u}) {
    for (int run = 0; run < 10; ++run) {
      store_rig rig({.workers = workers});
      rig.lists.is_free = run % 2 == 0;
      rig.add("even.txt", "even");
      rig.add("odd.txt", "odd");
      const graph first = some_graph(random, n);
      for (unsigned i = 0; i < n; ++i) rig.add(std::to_string(i), file_of(first[i], 0));
      rig.mount();
      rigged_store store(rig, at_once);
      std::vector<asset<list>> all;
      for (unsigned i = 0; i < n; ++i) all.push_back(store.get<list>(std::to_string(i)));
      for (const asset<list>& each : all) ASSERT_EQ(store.outcome(each), "ready");
      for (std::uint32_t round = 1; round <= 10; ++round) {
        const graph next = some_graph(random, n);
        for (unsigned i = 0; i < n; ++i) {
          rig.add(std::to_string(i), file_of(next[i], static_cast<int>(round)));
        }
        for (unsigned i = 0; i < n; ++i) store.reload(std::to_string(i));
        ASSERT_TRUE(pump_until(store,
                               [&] {
                                 for (const asset<list>& each : all) {
                                   if (each.version() != round + 1) return false;
                                 }
                                 return true;
                               }))
            << workers << run << " round " << round;
        for (const asset<list>& each : all) EXPECT_TRUE(store.reload_status(each));
      }
    }
  }
}

TEST(asset_reload_circle, of_any_graph_leaves_an_old_value_and_ends) {
  constexpr unsigned n = 5;
  std::minstd_rand random(2);
  for (const unsigned workers : {0u, 2u}) {
    for (int run = 0; run < 20; ++run) {
      store_rig rig({.workers = workers});
      rig.add("even.txt", "even");
      rig.add("odd.txt", "odd");
      for (unsigned i = 0; i < n; ++i) rig.add(std::to_string(i), "even.txt");
      rig.mount();
      {
        rigged_store store(rig, at_once);
        std::vector<asset<list>> all;
        for (unsigned i = 0; i < n; ++i) all.push_back(store.get<list>(std::to_string(i)));
        for (const asset<list>& each : all) ASSERT_EQ(store.outcome(each), "ready");
        for (int round = 1; round <= 10; ++round) {
          for (unsigned i = 0; i < n; ++i) {
            const auto needs = static_cast<unsigned>(random() % (1u << n));
            rig.add(std::to_string(i), file_of(needs & static_cast<unsigned>(random()), round));
            store.reload(std::to_string(i));
            if (random() % 2 == 0) store.pump(0ns);
          }
        }
        // In the end all need nothing, which is no circle.
        for (unsigned i = 0; i < n; ++i) {
          rig.add(std::to_string(i), "odd.txt");
          store.reload(std::to_string(i));
        }
        ASSERT_TRUE(pump_until(store, [&] {
          for (const asset<list>& each : all) {
            if (!each.is_ready() || !each->lists.empty() || each->texts[0]->text != "odd") {
              return false;
            }
          }
          return true;
        }));
        all.clear();
        ASSERT_TRUE(pump_until(store, [&] {
          return store.progress().asked == 0 && store.progress().waiting_bytes == 0;
        }));
      }
      for (unsigned i = 0; i < n; ++i) {
        EXPECT_EQ(rig.happened.count("finalize " + std::to_string(i)),
                  rig.happened.count("unload " + std::to_string(i)));
      }
    }
  }
}

}  // namespace
}  // namespace overture::reload_circle_test
