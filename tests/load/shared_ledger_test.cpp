// SPDX-License-Identifier: Zlib
//
// Loads that share a ledger with others.
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "load/load_rig.hpp"
#include "overture/sync/memory_ledger.hpp"

namespace overture::shared_ledger_test {
namespace {

using namespace std::chrono_literals;
using test::fake_os;
using test::finish;
using test::load_rig;
using test::outcomes;

constexpr std::uint64_t limit = 100'000;
constexpr memory_tag tag = memory_tag::host;

struct shared_ledger : ::testing::Test {
  shared_ledger() {
    os.set_cached(true);
    for (int i = 0; i < 50; ++i) {
      os.add_file("/game/" + std::to_string(100 + i) + ".bin", std::string(30'000, 'x'));
    }
  }
  // Takes everything, and the ticket.
  void fill() { ASSERT_TRUE(ledger.take(limit + 1, tag, ticket)); }
  void empty() {
    ledger.give_back(limit + 1, tag);
    ledger.end_item(ticket);
  }
  fake_os os;
  memory_ledger ledger{limit};
  bool ticket = false;
};

TEST_F(shared_ledger, that_is_full_makes_a_load_wait_until_the_host_gives_room_back) {
  for (const unsigned workers : {0u, 2u}) {
    load_rig rig(os, {.workers = workers});
    rig.mount({"/game"});
    fill();
    load_scope scope(rig.files, rig.reads, rig.jobs, {.ledger = &ledger});
    ASSERT_TRUE(scope.start());
    EXPECT_FALSE(scope.wait_for(20ms));
    EXPECT_FALSE(scope.done());
    std::thread host([&] { empty(); });
    finish(scope);
    host.join();
    EXPECT_EQ(scope.summary().files, 50u);
    EXPECT_EQ(ledger.used(), 0u);
  }
}

TEST_F(shared_ledger, that_is_full_does_not_keep_a_load_from_being_cancelled) {
  for (const unsigned workers : {0u, 2u}) {
    load_rig rig(os, {.workers = workers});
    rig.mount({"/game"});
    fill();
    {
      load_scope scope(rig.files, rig.reads, rig.jobs, {.ledger = &ledger});
      ASSERT_TRUE(scope.start());
      EXPECT_FALSE(scope.wait_for(5ms));
      scope.cancel();
      finish(scope);
      EXPECT_EQ(scope.summary().cancelled, 50u);
      EXPECT_EQ(ledger.used(), limit + 1);
    }
    {
      load_scope ended_at_once(rig.files, rig.reads, rig.jobs, {.ledger = &ledger});
      ASSERT_TRUE(ended_at_once.start());
    }
    empty();
    EXPECT_EQ(ledger.used(), 0u);
  }
}

TEST_F(shared_ledger, bounds_two_loads_together) {
  load_rig rig(os, {.workers = 3});
  rig.mount({"/game"});
  load_scope first(rig.files, rig.reads, rig.jobs, {.ledger = &ledger});
  load_scope second(rig.files, rig.reads, rig.jobs, {.ledger = &ledger});
  ASSERT_TRUE(first.start());
  ASSERT_TRUE(second.start());
  finish(first);
  finish(second);
  EXPECT_EQ(first.summary().files + second.summary().files, 100u);
  // One file may be past the limit, with the text that it is decoded to.
  EXPECT_LE(ledger.peak(), limit + 2 * 30'000);
  EXPECT_EQ(ledger.used(), 0u);
}

}  // namespace
}  // namespace overture::shared_ledger_test
