// SPDX-License-Identifier: Zlib
//
// The shipped read_inbox.hpp: putting, taking, sleeping and waking, through all interleavings of a
// small program.
#include "io/queue/read_inbox.hpp"

#include <gtest/gtest.h>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"
#include "interleave/include/sync/wait.hpp"
#include "overture/io/read_queue.hpp"

namespace overture {

namespace {

using interleave::check;
using interleave::expect_clean_nearby;
using interleave::run;

using small_inbox = io_detail::basic_read_inbox<2>;

// Stands in for the lock and the words of a queue.
struct taker {
  small_inbox inbox;
  sync_detail::mutex lock;
  small_inbox::receiver receiver GUARDED_BY(lock){inbox};
  atomic<std::uint32_t> word{0};
  std::uint64_t last[2] = {};  // by each thread that puts
  int taken = 0;

  void take_all() REQUIRES(lock) {
    small_inbox::batch next;
    while (receiver.take(next)) {
      check(next.queued_ns == ++last[next.count - 1], "in the order in which they were put");
      ++taken;
    }
  }
  void put(std::size_t submitter, std::uint64_t number) {
    static read_request none[2];
    std::uint32_t calls = 0;
    if (!inbox.put(std::span(none, submitter), number, calls)) {
      const sync_detail::scoped_lock hold(lock);
      take_all();
      check(number == ++last[submitter - 1], "after those that were put before");
      ++taken;
      if (!receiver.withdraw(small_inbox::reader)) return;
    } else if (calls == 0) {
      return;
    }
    word.fetch_add(1, std::memory_order_relaxed);
    sync_detail::address_wake_one(&word);
  }
  void take_until(int all) {
    for (;;) {
      std::uint32_t seen = 0;
      {
        const sync_detail::scoped_lock hold(lock);
        (void)receiver.withdraw(small_inbox::reader);
        take_all();
        if (taken == all) return;
        seen = word.load(std::memory_order_relaxed);
        if (!receiver.offer(small_inbox::reader)) continue;
      }
      (void)sync_detail::address_wait(word, seen, 0);
    }
  }
};

void two_put_and_one_sleeps() {
  taker of;
  run({[&] {
         for (std::uint64_t i = 1; i <= 4; ++i) of.put(1, i);
       },
       [&] { of.put(2, 1); }, [&] { of.take_until(5); }});
  check(of.taken == 5, "all were taken");
}

TEST(an_inbox_in_all_interleavings, loses_nothing_and_keeps_the_order) {
  expect_clean_nearby(two_put_and_one_sleeps);
}

}  // namespace
}  // namespace overture
