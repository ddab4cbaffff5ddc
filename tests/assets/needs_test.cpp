// SPDX-License-Identifier: Zlib
//
// needs: which asset needs which, and what waits for what.
#include "assets/needs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
