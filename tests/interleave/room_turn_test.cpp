// SPDX-License-Identifier: Zlib
//
// The shipped room_turn.hpp and the ledger's waiters: what is refused room goes on once, when there
// is some.
#include "load/room_turn.hpp"

#include <gtest/gtest.h>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"

namespace overture::load_detail::room_turn_test {
namespace {

using interleave::check;
using interleave::expect_clean;
using interleave::explore;
using interleave::many;
using interleave::run;

constexpr memory_tag tag = memory_tag::load;

// Runs in the thread that made room what would be a job.
class item final : room_turn {
 public:
  explicit item(memory_ledger& from, std::uint64_t bytes) : from_(from), bytes_(bytes) {}
  void begin() noexcept { take_room(from_); }
  [[nodiscard]] int times() const { return times_.load(std::memory_order_relaxed); }

 private:
  bool try_room() noexcept override { return from_.take(bytes_, tag, ticket_); }
  void has_room() noexcept override {
    times_.fetch_add(1, std::memory_order_relaxed);
    from_.give_back(bytes_, tag);
    from_.end_item(ticket_);
  }
  void run_later(task work) noexcept override { work.run(work.context); }

  memory_ledger& from_;
  const std::uint64_t bytes_;
  bool ticket_ = false;
  atomic<int> times_{0};
};

TEST(a_turn_for_room_in_all_interleavings, comes_once_when_room_or_the_ticket_is_given_back) {
  for (const bool of_room : {true, false}) {
    expect_clean(explore({.preemptions = 2, .early_returns = 0, .executions_max = many}, [&] {
      memory_ledger ledger(10);
      bool none = false;
      bool ticket = false;
      check(ledger.take(10, tag, none) && !none, "fits");
      check(ledger.take(5, tag, ticket) && ticket, "gets the ticket");
      item waiting(ledger, 8);
      run({[&] { waiting.begin(); },
           [&] { of_room ? ledger.give_back(15, tag) : ledger.end_item(ticket); }});
      check(waiting.times() == 1, "went on, once");
      of_room ? ledger.end_item(ticket) : ledger.give_back(15, tag);
      check(ledger.used() == 0, "all room was given back");
    }));
  }
}

TEST(a_turn_for_room_in_all_interleavings, comes_to_each_of_two) {
  expect_clean(explore({.preemptions = 2, .early_returns = 0, .executions_max = many}, [] {
    memory_ledger ledger(10);
    bool none = false;
    bool ticket = false;
    check(ledger.take(10, tag, none) && !none, "fits");
    check(ledger.take(5, tag, ticket) && ticket, "gets the ticket");
    item first(ledger, 8);
    item second(ledger, 8);
    first.begin();
    run({[&] { second.begin(); },
         [&] {
           ledger.give_back(15, tag);
           ledger.end_item(ticket);
         }});
    check(first.times() == 1 && second.times() == 1, "both went on, once");
    check(ledger.used() == 0, "all room was given back");
  }));
}

}  // namespace
}  // namespace overture::load_detail::room_turn_test
