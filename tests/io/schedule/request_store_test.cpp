// SPDX-License-Identifier: Zlib
#include "io/schedule/request_store.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <vector>

#include "io/schedule/plain_choice.hpp"
#include "support/failing_allocator.hpp"

namespace overture::io_detail::request_store_test {
namespace {

constexpr store_rules patient{.ageing_ns = 1'000, .danger_ns = 10};

read_request request_at(std::uint32_t file, std::uint64_t offset,
                        read_priority priority = read_priority::normal) {
  read_request made;
  made.source = {file, 1};
  made.offset = offset;
  made.priority = priority;
  return made;
}

// Takes all there are, in order; their offsets.
std::vector<std::uint64_t> take_all(request_store& store, disk_position head,
                                    std::uint64_t now_ns) {
  std::vector<std::uint64_t> order;
  while (read_request* const next = store.choose_next(head, now_ns)) {
    order.push_back(next->offset);
    head = position_of(next->sort_key, next->source, next->offset);
    store.remove(*next);
  }
  return order;
}

TEST(request_store, goes_over_the_disk_in_one_direction) {
  request_store store(default_allocator(), patient);
  std::vector<read_request> requests;
  for (const std::uint64_t offset : {50u, 10u, 70u, 30u}) requests.push_back(request_at(1, offset));
  for (read_request& each : requests) ASSERT_TRUE(store.add(each, 0));
  EXPECT_EQ(take_all(store, {1, 40}, 0), (std::vector<std::uint64_t>{50, 70, 10, 30}));
  EXPECT_EQ(store.size(), 0u);
}

TEST(request_store, the_callers_key_decides_about_files) {
  request_store store(default_allocator(), patient);
  std::vector<read_request> requests;
  for (const std::uint32_t i : {1u, 2u, 3u}) requests.push_back(request_at(i, i * 11));
  requests[0].sort_key = 3;
  requests[1].sort_key = 2;
  requests[2].sort_key = 1;
  for (read_request& each : requests) ASSERT_TRUE(store.add(each, 0));
  EXPECT_EQ(take_all(store, {}, 0), (std::vector<std::uint64_t>{33, 22, 11}));
}

TEST(request_store, takes_a_priority_above_the_highest_for_that) {
  request_store store(default_allocator(), patient);
  read_request from_outside = request_at(1, 1, static_cast<read_priority>(200));
  read_request raised = request_at(1, 2);
  read_request high = request_at(1, 3, read_priority::high);
  for (read_request* each : {&from_outside, &raised, &high}) ASSERT_TRUE(store.add(*each, 0));
  ASSERT_TRUE(store.set_priority(raised, static_cast<read_priority>(255), 0));
  EXPECT_EQ(store.size(read_priority::maximum), 2u);
  EXPECT_EQ(take_all(store, {}, 0), (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(request_store, waiting_lifts_by_one_level_at_a_time) {
  request_store store(default_allocator(), patient);
  read_request old = request_at(1, 1, read_priority::low);
  read_request fresh = request_at(1, 2, read_priority::normal);
  ASSERT_TRUE(store.add(old, 0));
  ASSERT_TRUE(store.add(fresh, 999));
  EXPECT_EQ(store.choose_next({}, 999), &fresh);
  EXPECT_EQ(store.choose_next({}, 1'000), &fresh);  // below_normal by now
  EXPECT_EQ(store.choose_next({}, 1'998), &fresh);  // still
  // Normal by now; but the other has been lifted too.
  EXPECT_EQ(store.choose_next({}, 2'000), &fresh);
  EXPECT_EQ(store.size(read_priority::low), 1u) << "counted by what it was given";
}

TEST(request_store, nothing_starves_under_a_stream_of_the_highest) {
  request_store store(default_allocator(), patient);
  read_request poor = request_at(9, 1, read_priority::minimum);
  ASSERT_TRUE(store.add(poor, 0));
  std::deque<read_request> rich;
  std::uint64_t now_ns = 0;
  for (; now_ns < 20'000; now_ns += 100) {
    rich.push_back(request_at(1, now_ns, read_priority::maximum));
    ASSERT_TRUE(store.add(rich.back(), now_ns));
    read_request* const next = store.choose_next({1, 0}, now_ns);
    store.remove(*next);
    if (next == &poor) break;
  }
  EXPECT_GE(now_ns, 5'000u);
  EXPECT_LE(now_ns, 7'000u);
}

TEST(request_store, priorities_and_deadlines_change_while_queued) {
  request_store store(default_allocator(), patient);
  read_request a = request_at(1, 1);
  read_request b = request_at(1, 2);
  ASSERT_TRUE(store.add(a, 0));
  ASSERT_TRUE(store.add(b, 0));
  EXPECT_TRUE(store.set_priority(b, read_priority::high, 0));
  EXPECT_EQ(store.choose_next({}, 0), &b);
  EXPECT_EQ(store.size(read_priority::high), 1u);
  EXPECT_TRUE(store.set_deadline(a, 500));
  EXPECT_EQ(store.choose_next({}, 489), &b);
  EXPECT_EQ(store.choose_next({}, 490), &a) << "in danger";
  EXPECT_TRUE(store.set_deadline(a, 0));
  EXPECT_EQ(store.choose_next({}, 490), &b);
  EXPECT_TRUE(store.set_priority(b, read_priority::minimum, 0));
  EXPECT_EQ(store.choose_next({}, 490), &a);
  store.remove(a);
  EXPECT_FALSE(store.set_priority(a, read_priority::high, 0));
  EXPECT_FALSE(store.set_deadline(a, 1));
}

TEST(request_store, finds_what_follows_a_position) {
  request_store store(default_allocator(), patient);
  std::deque<read_request> requests;
  for (std::uint64_t i = 0; i < 100; ++i) requests.push_back(request_at(1 + i % 2, 1'000 - i));
  for (read_request& each : requests) ASSERT_TRUE(store.add(each, 0));
  (void)store.choose_next({}, 0);  // sorts
  read_request* near[5] = {};
  const auto normal = static_cast<std::uint8_t>(read_priority::normal);
  const std::uint64_t position = requests[50].offset;
  EXPECT_EQ(store.following(position_of(0, requests[50].source, position), normal, near), 5u);
  const std::uint64_t first = requests[50].offset;
  for (std::uint64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(near[i]->source, requests[50].source);
    EXPECT_EQ(near[i]->offset, first + 2 * i);
  }
}

// The indexes narrow the choice down; they must never change it.
TEST(request_store, chooses_what_the_rule_would_choose) {
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u}) {
    std::mt19937 chance(seed);
    const auto below = [&](std::uint64_t n) { return chance() % n; };
    request_store store(default_allocator(), {.ageing_ns = 2'000, .danger_ns = 50});
    std::deque<read_request> all;
    std::vector<read_request*> waiting;
    disk_position head;
    std::uint64_t now_ns = 0;
    const auto take_one = [&] {
      read_request* const chosen = store.choose_next(head, now_ns);
      std::vector<candidate> candidates;
      store.for_each([&](const candidate& each) { candidates.push_back(each); });
      ASSERT_EQ(candidates.size(), waiting.size());
      const moment now{.head = head, .danger_ns = now_ns + 50};
      const candidate expected = candidates[test::plain_choice(candidates, now)];
      ASSERT_NE(chosen, nullptr);
      ASSERT_EQ(chosen->slot, expected.slot) << "seed " << seed;
      head = position_of(chosen->sort_key, chosen->source, chosen->offset + 1);
      store.remove(*chosen);
      std::erase(waiting, chosen);
    };
    for (int step = 0; step < 1'000; ++step) {
      now_ns += below(6);
      const std::uint64_t what = below(10);
      if (what < 5 || waiting.empty()) {
        const std::uint64_t batch = below(40) == 0 ? 100 : 1;
        for (std::uint64_t i = 0; i < batch; ++i) {
          all.push_back(request_at(static_cast<std::uint32_t>(below(8)), below(50),
                                   static_cast<read_priority>(below(6))));
          if (below(5) == 0) all.back().deadline_ns = now_ns + 1 + below(2'000);
          ASSERT_TRUE(store.add(all.back(), now_ns));
          waiting.push_back(&all.back());
        }
        continue;
      }
      const std::size_t at = below(waiting.size());
      if (what == 5) {
        ASSERT_TRUE(store.set_priority(*waiting[at], static_cast<read_priority>(below(6)), now_ns));
      } else if (what == 6) {
        ASSERT_TRUE(store.set_deadline(*waiting[at], below(2) * (now_ns + 1 + below(500))));
      } else if (what == 7 && below(3) == 0) {
        store.remove(*waiting[at]);
        waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(at));
      } else {
        take_one();
        if (HasFatalFailure()) return;
      }
    }
    while (!waiting.empty()) {
      take_one();
      if (HasFatalFailure()) return;
    }
  }
}

// Cancelled requests may never be looked at again: their entries must go all the same.
TEST(request_store, forgets_what_was_given_up_or_changed) {
  request_store store(default_allocator(), patient);
  read_request stays = request_at(1, 1);
  ASSERT_TRUE(store.add(stays, 0));
  read_request comes_and_goes = request_at(1, 2);
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(store.add(comes_and_goes, 0));
    store.remove(comes_and_goes);
    ASSERT_TRUE(
        store.set_priority(stays, i % 2 == 0 ? read_priority::high : read_priority::normal, 0));
    ASSERT_TRUE(store.set_deadline(stays, 1'000'000 + static_cast<std::uint64_t>(i)));
    ASSERT_LT(store.index_entries(), 1'000u);
  }
  EXPECT_EQ(take_all(store, {}, 0), (std::vector<std::uint64_t>{1}));
}

TEST(request_store, refused_memory_leaves_it_whole) {
  for (std::uint64_t refused = 0; refused < 40; ++refused) {
    failing_allocator memory(refused);
    request_store store(memory, patient);
    std::deque<read_request> requests;
    std::size_t added = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
      requests.push_back(request_at(1, 1'000 - i, static_cast<read_priority>(i % 6)));
      if (i % 3 == 0) requests.back().deadline_ns = 100'000;
      added += store.add(requests.back(), 0) ? 1 : 0;
      EXPECT_EQ(store.holds(requests.back()), requests.back().slot != read_request::no_slot);
    }
    EXPECT_GE(added, 199u);
    EXPECT_EQ(take_all(store, {}, 0).size(), added);
  }
}

}  // namespace
}  // namespace overture::io_detail::request_store_test
