// SPDX-License-Identifier: Zlib
//
// The shipped memory_ledger.cpp: whoever is refused hears of the room that is made.
#include "overture/sync/memory_ledger.hpp"

#include <gtest/gtest.h>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"

namespace overture::memory_ledger_test {
namespace {

using interleave::at_once;
using interleave::check;
using interleave::expect_clean;
using interleave::explore;
using interleave::many;
using interleave::run;

constexpr memory_tag tag = memory_tag::load;

// Waits for room as a pipeline does, but with a thread.
struct patient_item final : room_listener {
  explicit patient_item(memory_ledger& from) : ledger(from) { ledger.join(*this); }
  ~patient_item() { ledger.leave(*this); }
  void room_made() noexcept override {
    times.fetch_add(1, std::memory_order_seq_cst);
    changed.notify_all();
  }
  void take(std::uint64_t bytes) {
    for (;;) {
      const int before = times.load(std::memory_order_seq_cst);
      if (ledger.take(bytes, tag, ticket)) return;
      changed.await([&] { return times.load(std::memory_order_seq_cst) != before; }, at_once);
    }
  }
  void end(std::uint64_t bytes) {
    ledger.give_back(bytes, tag);
    ledger.end_item(ticket);
  }
  memory_ledger& ledger;
  bool ticket = false;
  atomic<int> times{0};
  event_count changed;
};

TEST(a_memory_ledger_in_all_interleavings, wakes_an_item_when_room_or_the_ticket_is_given_back) {
  expect_clean(explore({.preemptions = 2, .early_returns = 0, .executions_max = many}, [] {
    memory_ledger ledger(10);
    patient_item last(ledger);
    bool none = false;
    bool ticket = false;
    check(ledger.take(10, tag, none) && !none, "fits");
    check(ledger.take(5, tag, ticket) && ticket, "gets the ticket");
    run({[&] { ledger.give_back(10, tag); },
         [&] {
           ledger.give_back(5, tag);
           ledger.end_item(ticket);
         },
         [&] { last.take(8); }});
    last.end(8);
    check(ledger.used() == 0, "all room was given back");
  }));
}

// All hold something and want more than there is, so only the ticket lets them go on.
TEST(a_memory_ledger_in_all_interleavings, lets_items_that_hold_room_take_more) {
  expect_clean(explore({.preemptions = 2, .early_returns = 0, .executions_max = many}, [] {
    memory_ledger ledger(10);
    patient_item first(ledger);
    patient_item second(ledger);
    const auto work = [&](patient_item& item) {
      item.take(5);
      item.take(20);
      check(ledger.used() <= 10 + 25, "at most one item is past the limit");
      item.end(25);
    };
    run({[&] { work(first); }, [&] { work(second); }});
    check(ledger.used() == 0, "all room was given back");
  }));
}

TEST(a_memory_ledger_in_all_interleavings, calls_no_listener_that_has_left) {
  expect_clean(explore({.preemptions = 2, .early_returns = 0, .executions_max = many}, [] {
    struct fickle final : room_listener {
      void room_made() noexcept override { check(!gone, "is not called after leave()"); }
      bool gone = false;
    } listener;
    memory_ledger ledger(10);
    ledger.join(listener);
    bool first = false;
    bool second = false;
    bool refused = false;
    check(ledger.take(11, tag, first) && ledger.take_if_free(0, tag) == false, "is full");
    check(!ledger.take(1, tag, second), "is refused");
    run({[&] { ledger.give_back(11, tag); }, [&] { ledger.end_item(first); },
         [&] {
           ledger.leave(listener);
           listener.gone = true;
         }});
    (void)refused;
  }));
}

}  // namespace
}  // namespace overture::memory_ledger_test
