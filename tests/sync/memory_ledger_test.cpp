// SPDX-License-Identifier: Zlib
#include "overture/sync/memory_ledger.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace overture::memory_ledger_test {
namespace {

constexpr memory_tag tag = memory_tag::load;

TEST(memory_ledger, admits_what_fits_and_one_item_past_the_limit) {
  memory_ledger ledger(100);
  bool tickets[4] = {};
  EXPECT_TRUE(ledger.take(60, tag, tickets[0]));
  EXPECT_TRUE(ledger.take(40, tag, tickets[1]));
  EXPECT_FALSE(tickets[0] || tickets[1]);
  EXPECT_TRUE(ledger.take(1000, tag, tickets[2]));
  EXPECT_TRUE(tickets[2]);
  EXPECT_FALSE(ledger.take(1, tag, tickets[3]));
  EXPECT_TRUE(ledger.take(500, tag, tickets[2])) << "the holder of the ticket is never refused";
  EXPECT_EQ(ledger.used(), 1600u);
  ledger.give_back(1500, tag);
  ledger.end_item(tickets[2]);
  EXPECT_FALSE(tickets[2]);
  EXPECT_TRUE(ledger.take(1, tag, tickets[3]));
  EXPECT_TRUE(tickets[3]);
  ledger.give_back(101, tag);
  ledger.end_item(tickets[3]);
  EXPECT_EQ(ledger.used(), 0u);
  EXPECT_EQ(ledger.peak(), 1600u);
}

TEST(memory_ledger, counts_by_module) {
  memory_ledger ledger(100);
  ledger.add(30, memory_tag::vfs);
  ledger.add(50, memory_tag::decode);
  ledger.give_back(30, memory_tag::vfs);
  ledger.add(10, memory_tag::vfs);
  EXPECT_EQ(ledger.peak(memory_tag::vfs), 30u);
  EXPECT_EQ(ledger.peak(memory_tag::decode), 50u);
  EXPECT_EQ(ledger.peak(memory_tag::io), 0u);
  EXPECT_EQ(ledger.peak(), 80u);
  ledger.give_back(50, memory_tag::decode);
  ledger.give_back(10, memory_tag::vfs);
}

TEST(memory_ledger, fails_calls_that_cannot_wait) {
  constexpr std::uint64_t mib = 1u << 20;
  memory_ledger ledger(10 * mib);
  ledger.add(10 * mib, tag);
  {
    const result<ledger_room> oversize = ledger_room::take(ledger, 64 * mib, tag);
    ASSERT_TRUE(oversize);
    const result<ledger_room> other = ledger_room::take(ledger, mib, tag);
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code, errc::limit);
    EXPECT_TRUE(ledger_room::take(ledger, mib - 1, tag)) << "too little to be counted";
    EXPECT_EQ(ledger.used(), 74 * mib);
  }
  EXPECT_EQ(ledger.used(), 10 * mib);
  EXPECT_TRUE(ledger_room::take(ledger, mib, tag));
  ledger.give_back(10 * mib, tag);
}

// Counts what it hears.
struct counting_listener final : room_listener {
  void room_made() noexcept override { ++times; }
  int times = 0;
};

TEST(memory_ledger, tells_listeners_of_room_only_after_it_refused_something) {
  memory_ledger ledger(10);
  counting_listener first;
  counting_listener second;
  ledger.join(first);
  ledger.join(second);
  bool holder = false;
  bool other = false;
  ASSERT_TRUE(ledger.take(20, tag, holder));
  ledger.give_back(5, tag);
  EXPECT_EQ(first.times, 0);
  EXPECT_FALSE(ledger.take(1, tag, other));
  ledger.give_back(5, tag);
  ledger.give_back(5, tag);
  EXPECT_EQ(first.times, 1);
  EXPECT_EQ(second.times, 1);
  EXPECT_FALSE(ledger.take(6, tag, other));
  ledger.leave(first);
  ledger.end_item(holder);
  EXPECT_EQ(first.times, 1);
  EXPECT_EQ(second.times, 2);
  ledger.give_back(5, tag);
  ledger.leave(second);
}

// Keeps memory until it is asked.
struct keeper final : room_reclaimer {
  keeper(memory_ledger& from, std::uint64_t bytes) : ledger(from), kept(bytes) {
    ledger.join(*this);
    ledger.add(kept, memory_tag::vfs);
    ledger.add_reclaimable(kept);
  }
  ~keeper() {
    reclaim(kept);
    ledger.leave(*this);
  }
  void reclaim(std::uint64_t) noexcept override {
    ledger.remove_reclaimable(kept);
    ledger.give_back(std::exchange(kept, 0), memory_tag::vfs);
  }
  memory_ledger& ledger;
  std::uint64_t kept;
};

TEST(memory_ledger, calls_a_waiter_once_unless_it_stops) {
  struct counting_waiter final : room_waiter {
    void room_made() noexcept override { ++calls; }
    int calls = 0;
  } one, two, three;
  memory_ledger ledger(100);
  bool ticket = false;
  bool other = false;
  ASSERT_TRUE(ledger.take(101, memory_tag::host, ticket));
  for (counting_waiter* each : {&one, &two, &three}) ledger.wait(*each);
  ASSERT_FALSE(ledger.take(1, memory_tag::host, other));
  EXPECT_TRUE(ledger.stop_waiting(two));
  EXPECT_FALSE(ledger.stop_waiting(two));
  ledger.give_back(50, memory_tag::host);
  ASSERT_TRUE(ledger.take(1, memory_tag::host, other));
  ledger.give_back(52, memory_tag::host);
  ledger.end_item(ticket);
  EXPECT_EQ(one.calls, 1);
  EXPECT_EQ(two.calls, 0);
  EXPECT_EQ(three.calls, 1);
  EXPECT_FALSE(ledger.stop_waiting(one));
}

TEST(memory_ledger, reclaims_kept_memory_before_it_admits_past_the_limit) {
  memory_ledger ledger(100);
  keeper first(ledger, 40);
  keeper second(ledger, 60);
  bool ticket = false;
  EXPECT_TRUE(ledger.take(30, tag, ticket));
  EXPECT_FALSE(ticket);
  EXPECT_EQ(first.kept + second.kept == 40, true) << "no more is reclaimed than is needed";
  EXPECT_TRUE(ledger.take(500, tag, ticket));
  EXPECT_TRUE(ticket);
  EXPECT_EQ(ledger.used(), 530u) << "all that is kept goes first";
  ledger.give_back(530, tag);
  ledger.end_item(ticket);
}

TEST(memory_ledger, never_lets_two_items_past_the_limit) {
  memory_ledger ledger(1000);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i) {
    threads.emplace_back([&ledger, i] {
      unsigned random = i + 1;
      for (int turn = 0; turn < 20'000; ++turn) {
        random = random * 1664525 + 1013904223;
        const std::uint64_t bytes = random >> 22;
        bool ticket = false;
        if (!ledger.take(bytes, tag, ticket)) continue;
        ledger.give_back(bytes, tag);
        ledger.end_item(ticket);
      }
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(ledger.used(), 0u);
  EXPECT_LE(ledger.peak(), 1000u + 1023u);
}

}  // namespace
}  // namespace overture::memory_ledger_test
