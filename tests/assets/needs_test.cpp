// SPDX-License-Identifier: Zlib
//
// needs: which asset needs which, and what waits for what.
#include "assets/needs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <vector>

#include "support/failing_allocator.hpp"

namespace overture::assets_detail::needs_test {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

std::vector<slot*> all_of(slot* first) {
  std::vector<slot*> found;
  for (; first != nullptr; first = first->walk_next) found.push_back(first);
  return found;
}

class graph : public ::testing::Test {
 protected:
  graph() {
    for (slot& each : slots) {
      each.handles.store(1, std::memory_order_relaxed);
      each.state.store(asset_state::queued, std::memory_order_relaxed);
    }
  }
  ~graph() override {
    for (slot& each : slots) needed.remove_all(each);
  }
  void settle(slot& one) { one.state.store(asset_state::ready, std::memory_order_relaxed); }

  needs needed{default_allocator()};
  slot slots[4];
  slot &a = slots[0], &b = slots[1], &c = slots[2], &d = slots[3];
};

// Whatever came before, and in whatever order.
TEST(needs_at_random, are_refused_if_they_close_a_circle_and_only_then) {
  constexpr std::size_t count = 12;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    needs needed{default_allocator()};
    std::vector<slot> slots(count);
    std::vector<std::set<std::size_t>> needs_of(count);
    const std::function<bool(std::size_t, std::size_t)> reaches = [&](std::size_t from,
                                                                      std::size_t to) {
      return from == to || std::any_of(needs_of[from].begin(), needs_of[from].end(),
                                       [&](std::size_t next) { return reaches(next, to); });
    };
    for (slot& each : slots) each.handles.store(1, std::memory_order_relaxed);
    for (int step = 0; step < 60; ++step) {
      const std::size_t parent = random() % count;
      if (random() % 8 == 0) {
        needed.remove_all(slots[parent]);
        needs_of[parent].clear();
        continue;
      }
      const std::size_t child = random() % count;
      const bool closes = reaches(child, parent);
      EXPECT_EQ(needed.add(slots[parent], slots[child]).has_value(), !closes)
          << "seed " << seed << ", step " << step;
      if (!closes) needs_of[parent].insert(child);
    }
    for (slot& each : slots) needed.remove_all(each);
  }
}

TEST_F(graph, ends_the_wait_of_its_parents_once_it_has_settled) {
  ASSERT_TRUE(needed.add(a, c));
  ASSERT_TRUE(needed.add(b, c));
  ASSERT_TRUE(needed.add(b, d));
  settle(c);
  EXPECT_THAT(all_of(needed.settle(c)), UnorderedElementsAre(&a, &b));
  EXPECT_EQ(a.pending_needs, 0u);
  EXPECT_EQ(b.pending_needs, 1u);
  EXPECT_EQ(needed.settle(c), nullptr) << "once";
}

TEST_F(graph, counts_what_is_needed_twice_twice) {
  ASSERT_TRUE(needed.add(a, b));
  ASSERT_TRUE(needed.add(a, b));
  EXPECT_EQ(a.pending_needs, 2u);
  settle(b);
  EXPECT_THAT(all_of(needed.settle(b)), ElementsAre(&a));
  EXPECT_EQ(a.pending_needs, 0u);
}

TEST_F(graph, does_not_wait_for_what_has_settled) {
  settle(b);
  ASSERT_TRUE(needed.add(a, b));
  EXPECT_EQ(a.pending_needs, 0u);
}

TEST_F(graph, refuses_circles_of_any_length) {
  EXPECT_EQ(needed.add(a, a).error().code, errc::invalid);
  ASSERT_TRUE(needed.add(a, b));
  ASSERT_TRUE(needed.add(b, c));
  ASSERT_TRUE(needed.add(a, c)) << "two ways are no circle";
  EXPECT_EQ(needed.add(c, a).error().code, errc::invalid);
  EXPECT_TRUE(needed.add(c, d));
}

TEST_F(graph, refuses_circles_of_what_has_settled_and_by_way_of_a_reload) {
  ASSERT_TRUE(needed.add(a, b));
  ASSERT_TRUE(needed.add(b, c));
  for (slot* each : {&a, &b, &c}) settle(*each);
  d.reload_of = &c;
  c.reload = &d;
  EXPECT_EQ(needed.add(d, a).error().code, errc::invalid) << "a will need itself";
  EXPECT_EQ(needed.add(d, c).error().code, errc::invalid) << "c itself";
  slot e;
  e.handles.store(1, std::memory_order_relaxed);
  ASSERT_TRUE(needed.add(d, e));
  EXPECT_EQ(needed.add(e, a).error().code, errc::invalid) << "which will need e";
  d.reload_of = nullptr;
  needed.remove_all(d);
}

class reloaded_graph : public graph {
 protected:
  // a needs b, and both have loaded.
  reloaded_graph() {
    EXPECT_TRUE(needed.add(a, b));
    for (slot* each : {&a, &b, &c}) become_ready(*each);
    (void)needed.settle(b);
  }
  ~reloaded_graph() override { needed.remove_all(second_b); }
  void become_ready(slot& one) {
    settle(one);
    one.now.state = asset_state::ready;
  }
  // Another value of b is decoded.
  void begin_reload_of_b() {
    second_b.reload_of = &b;
    b.reload = &second_b;
  }

  slot second_b;
};

TEST_F(reloaded_graph, doubts_a_circle_by_way_of_what_was_needed_before_a_reload) {
  begin_reload_of_b();
  a.changed = true;
  ASSERT_TRUE(needed.add(second_b, a));
  EXPECT_EQ(second_b.pending_needs, 1u) << "though a is ready";
  EXPECT_TRUE(needed.has_doubts());
  EXPECT_EQ(needed.judge(), nullptr);
  EXPECT_EQ(needed.settle(a), nullptr) << "that a settles says nothing of it";
  // The reload of a has ended: it needs b no more.
  needed.remove_all(a);
  a.changed = false;
  EXPECT_EQ(needed.judge(), &second_b);
  EXPECT_EQ(second_b.pending_needs, 0u);
  EXPECT_EQ(second_b.failed_need, nullptr);
  EXPECT_FALSE(needed.has_doubts());
  EXPECT_EQ(a.handles.load(), 2u);
}

TEST_F(reloaded_graph, gives_a_doubtful_need_up_once_it_is_a_circle) {
  begin_reload_of_b();
  a.changed = true;
  ASSERT_TRUE(needed.add(second_b, a));
  ASSERT_TRUE(needed.add(second_b, c));
  a.changed = false;  // its reload has failed
  EXPECT_EQ(needed.judge(), &second_b);
  EXPECT_EQ(second_b.failed_need, &second_b);
  EXPECT_STREQ(second_b.failure.reason, "they need each other in a circle");
  EXPECT_EQ(a.handles.load(), 1u);
  EXPECT_EQ(c.handles.load(), 2u) << "it needs that one still";
  EXPECT_FALSE(needed.has_doubts());
}

TEST_F(reloaded_graph, refuses_a_circle_by_way_of_a_doubtful_need) {
  begin_reload_of_b();
  a.changed = true;
  ASSERT_TRUE(needed.add(second_b, a));
  slot second_a;
  second_a.reload_of = &a;
  a.reload = &second_a;
  a.changed = false;
  EXPECT_EQ(needed.add(second_a, b).error().code, errc::invalid) << "it will need itself";
  EXPECT_TRUE(needed.add(second_a, c));
  needed.remove_all(second_a);
}

TEST_F(reloaded_graph, forgets_the_doubts_of_what_is_given_up) {
  begin_reload_of_b();
  a.changed = true;
  ASSERT_TRUE(needed.add(second_b, a));
  needed.remove_all(second_b);
  EXPECT_FALSE(needed.has_doubts());
  EXPECT_EQ(needed.judge(), nullptr);
  EXPECT_EQ(a.handles.load(), 1u);
}

TEST_F(reloaded_graph, doubts_what_is_needed_by_one_that_will_be_loaded_again) {
  ASSERT_TRUE(needed.add(d, c));  // d is being loaded for the first time
  slot second_c;
  second_c.reload_of = &c;
  c.reload = &second_c;
  EXPECT_EQ(needed.add(second_c, d).error().code, errc::invalid);
  d.changed = true;
  EXPECT_TRUE(needed.add(second_c, d));
  EXPECT_TRUE(needed.has_doubts());
  needed.remove_all(second_c);
}

TEST_F(reloaded_graph, doubts_what_a_reload_needs_whose_file_has_changed_again) {
  begin_reload_of_b();
  ASSERT_TRUE(needed.add(second_b, c));
  EXPECT_EQ(needed.add(c, b).error().code, errc::invalid);
  b.changed = true;
  EXPECT_TRUE(needed.add(c, b));
  EXPECT_TRUE(needed.has_doubts());
}

TEST(asset_needs, count_what_is_kept_alive_sixty_four_needs_deep) {
  needs needed{default_allocator()};
  slot chain[100];
  for (slot& each : chain) {
    each.now.state = asset_state::ready;
    each.state.store(asset_state::ready, std::memory_order_relaxed);
    each.value = &each;
    each.value_bytes = 1;
  }
  for (std::size_t i = 0; i + 1 < std::size(chain); ++i) {
    ASSERT_TRUE(needed.add(chain[i], chain[i + 1]));
    chain[i + 1].handles.fetch_add(1, std::memory_order_relaxed);  // in its parent's value
  }
  EXPECT_EQ(needed.kept_alive_by(chain[0]), 65u);
  EXPECT_EQ(needed.kept_alive_by(chain[60]), 40u);
  for (slot& each : chain) {
    each.handles.fetch_add(1, std::memory_order_relaxed);  // there is no store to give it up to
  }
  for (slot& each : chain) needed.remove_all(each);
}

TEST_F(graph, wanting_is_no_circle) {
  needed.add_wanted(a, b);
  EXPECT_TRUE(needed.add(b, a));
  EXPECT_EQ(b.handles.load(), 1u) << "nor does it hold";
  needed.remove_all(a);
  EXPECT_EQ(b.handles.load(), 1u);
}

TEST_F(graph, counts_with_an_asset_what_only_it_keeps_alive) {
  for (slot* each : {&a, &b, &c, &d}) {
    settle(*each);
    each->now.state = asset_state::ready;
    each->value = each;
    each->value_bytes = each == &a ? 1 : each == &b ? 10 : each == &c ? 100 : 1000;
    each->handles.store(0, std::memory_order_relaxed);
  }
  const auto holds = [&](slot& parent, slot& child) {
    ASSERT_TRUE(needed.add(parent, child));
    child.handles.fetch_add(1, std::memory_order_relaxed);  // in the parent's value
  };
  holds(a, b);
  holds(a, c);
  holds(b, c);
  needed.add_wanted(c, d);
  d.handles.fetch_add(1, std::memory_order_relaxed);
  EXPECT_EQ(needed.kept_alive_by(a), 1111u);
  EXPECT_EQ(needed.kept_alive_by(b), 10u) << "a needs c too";
  EXPECT_EQ(needed.kept_alive_by(c), 1100u);
  c.handles.fetch_add(1, std::memory_order_relaxed);  // of the program
  EXPECT_EQ(needed.kept_alive_by(a), 11u);
  c.handles.fetch_sub(1, std::memory_order_relaxed);
  b.now.state = asset_state::finalizing;
  EXPECT_EQ(needed.kept_alive_by(a), 1101u) << "b counts where it is";
  for (slot* each : {&b, &c, &d}) each->handles.fetch_add(1, std::memory_order_relaxed);
}

TEST_F(graph, says_what_holds_each) {
  for (slot& each : slots) each.handles.store(0, std::memory_order_relaxed);
  const auto wants = [&](slot& parent, slot& child) {
    needed.add_wanted(parent, child);
    child.handles.fetch_add(1, std::memory_order_relaxed);
  };
  wants(a, b);
  wants(b, a);
  wants(b, c);
  const auto held_by = [&] {
    needs::holders holders;
    for (slot& each : slots) holders.look_at(each);
    holders.follow();
    std::vector<asset_holder> all;
    for (const slot& each : slots) all.push_back(each.held_by);
    return all;
  };
  using enum asset_holder;
  EXPECT_THAT(held_by(), ElementsAre(circle, circle, circle, nothing));
  a.handles.fetch_add(1, std::memory_order_relaxed);
  EXPECT_THAT(held_by(), ElementsAre(handle, asset, asset, nothing));
  a.handles.fetch_sub(1, std::memory_order_relaxed);
  wants(d, b);
  d.now.in = place::kept;
  EXPECT_THAT(held_by(), ElementsAre(asset, asset, asset, store));
  for (slot& each : slots) each.handles.store(9, std::memory_order_relaxed);
}

TEST_F(reloaded_graph, is_held_by_the_store_while_it_is_in_doubt) {
  ASSERT_TRUE(needed.add(a, b));
  a.changed = true;
  ASSERT_TRUE(needed.add(b, a));
  ASSERT_TRUE(needed.has_doubts());
  for (slot* each : {&a, &b}) each->handles.store(1, std::memory_order_relaxed);
  needs::holders holders;
  for (slot* each : {&a, &b}) holders.look_at(*each);
  holders.follow();
  EXPECT_EQ(b.held_by, asset_holder::store);
  EXPECT_EQ(a.held_by, asset_holder::asset);
  for (slot* each : {&a, &b}) each->handles.store(9, std::memory_order_relaxed);
}

TEST_F(graph, finds_all_that_one_waits_for) {
  ASSERT_TRUE(needed.add(a, b));
  ASSERT_TRUE(needed.add(b, c));
  ASSERT_TRUE(needed.add(a, c));
  settle(d);
  ASSERT_TRUE(needed.add(c, d));
  EXPECT_THAT(all_of(needed.waited_for(a)), UnorderedElementsAre(&a, &b, &c));
}

TEST_F(graph, holds_what_is_needed_until_it_is_removed) {
  ASSERT_TRUE(needed.add(a, b));
  EXPECT_EQ(b.handles.load(), 2u);
  needed.remove_all(a);
  EXPECT_EQ(b.handles.load(), 1u);
  EXPECT_EQ(needed.settle(b), nullptr);
  EXPECT_EQ(b.needed_by, nullptr);
}

TEST_F(graph, exchanges_what_two_need) {
  ASSERT_TRUE(needed.add(a, b));
  ASSERT_TRUE(needed.add(c, d));
  needs::exchange(a, c);
  settle(b);
  EXPECT_THAT(all_of(needed.settle(b)), ElementsAre(&c));
  settle(d);
  EXPECT_THAT(all_of(needed.settle(d)), ElementsAre(&a));
}

TEST(needs, report_refused_memory) {
  failing_allocator memory(0);
  needs needed{memory};
  slot one;
  slot other;
  EXPECT_EQ(needed.add(one, other).error().code, errc::out_of_memory);
  EXPECT_EQ(one.pending_needs, 0u);
}

}  // namespace
}  // namespace overture::assets_detail::needs_test
