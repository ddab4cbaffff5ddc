// SPDX-License-Identifier: Zlib
//
// The shipped event_count.cpp, parking_word.cpp and countdown, through all interleavings of small
// programs.
#include "overture/sync/event_count.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"
#include "overture/sync/countdown.hpp"
#include "overture/sync/parking_word.hpp"

namespace overture::event_count_test {
namespace {

using interleave::at_once;
using interleave::check;
using interleave::expect_clean;
using interleave::expect_clean_and_complete;
using interleave::run;
using interleave::some_time;
using interleave::variable;

// Stands in for a lock-free queue.
class items {
 public:
  void put() { count_.fetch_add(1, std::memory_order_release); }
  bool take() {
    int seen = count_.load(std::memory_order_acquire);
    while (seen != 0) {
      if (count_.compare_exchange_strong(seen, seen - 1, std::memory_order_acquire,
                                         std::memory_order_acquire)) {
        return true;
      }
    }
    return false;
  }

 private:
  atomic<int> count_{0};
};

TEST(an_event_count_in_all_interleavings, loses_no_notification_of_one) {
  expect_clean_and_complete(interleave::explore({.preemptions = 3}, [] {
    event_count changed;
    atomic<int> ready{0};
    variable<int> value(0);
    run({[&] {
           value.write(1);
           ready.store(1, std::memory_order_release);
           changed.notify_one();
         },
         [&] {
           changed.await([&] { return ready.load(std::memory_order_acquire) != 0; }, at_once);
           check(value.read() == 1, "sees what was written before the notify");
         }});
  }));
}

TEST(an_event_count_in_all_interleavings, wakes_one_for_each_item) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2, .early_returns = 0}, [] {
    event_count changed;
    items queue;
    const auto consume = [&] { changed.await([&] { return queue.take(); }, at_once); };
    run({[&] {
           for (int i = 0; i < 2; ++i) {
             queue.put();
             changed.notify_one();
           }
         },
         consume, consume});
    check(!queue.take(), "nothing is left");
  }));
}

TEST(an_event_count_in_all_interleavings, takes_two_producers) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2, .early_returns = 0}, [] {
    event_count changed;
    items queue;
    const auto produce = [&] {
      queue.put();
      changed.notify_one();
    };
    run({produce, produce, [&] {
           for (int i = 0; i < 2; ++i) {
             changed.await([&] { return queue.take(); }, at_once);
           }
         }});
  }));
}

TEST(an_event_count_in_all_interleavings, wakes_all) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2}, [] {
    event_count changed;
    atomic<int> ready{0};
    const auto consume = [&] {
      changed.await([&] { return ready.load(std::memory_order_acquire) != 0; }, at_once);
    };
    run({[&] {
           ready.store(1, std::memory_order_release);
           changed.notify_all();
         },
         consume, consume});
  }));
}

// A thread that gives up at the moment of the notify must not swallow the wake for the other one.
TEST(an_event_count_in_all_interleavings, passes_over_a_waiter_that_gives_up) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2, .early_returns = 0}, [] {
    event_count changed;
    items queue;
    run({[&] {
           queue.put();
           changed.notify_one();
         },
         [&] { changed.await([&] { return queue.take(); }, at_once); },
         [&] {
           // Never takes anything: any wake it gets is one too many, unless it passes it on.
           if (changed.wait_for(changed.prepare_wait(), some_time, at_once)) {
             changed.notify_one();
           }
         }});
  }));
}

TEST(an_event_count_in_random_interleavings, feeds_two_consumers_from_two_producers) {
  expect_clean(
      interleave::explore({.stale_loads = 8, .early_returns = 4, .random = 20'000, .seed = 2}, [] {
        event_count changed;
        items queue;
        const auto produce = [&] {
          for (int i = 0; i < 2; ++i) {
            queue.put();
            changed.notify_one();
          }
        };
        const auto consume = [&] {
          for (int i = 0; i < 2; ++i) changed.await([&] { return queue.take(); }, at_once);
        };
        run({produce, produce, consume, consume});
      }));
}

TEST(a_parking_word_in_all_interleavings, loses_no_permit) {
  expect_clean_and_complete(interleave::explore({.preemptions = 4, .early_returns = 2}, [] {
    parking_word own;
    variable<int> value(0);
    run({[&] {
           value.write(1);
           own.unpark();
         },
         [&] {
           own.park(at_once);
           check(value.read() == 1, "sees what was written before unpark()");
         }});
  }));
}

TEST(a_parking_word_in_all_interleavings, keeps_the_permit_of_a_thread_that_gave_up) {
  expect_clean_and_complete(interleave::explore({.preemptions = 4}, [] {
    parking_word own;
    run({[&] { own.unpark(); },
         [&] {
           if (!own.park_for(some_time, at_once)) own.park(at_once);
           check(!own.try_park(), "one permit, one park()");
         }});
  }));
}

TEST(a_parking_word_in_all_interleavings, may_be_destroyed_by_its_thread) {
  expect_clean_and_complete(interleave::explore({.preemptions = 4}, [] {
    std::optional<parking_word> own(std::in_place);
    run({[&] { own->unpark(); },
         [&] {
           own->park(at_once);
           own.reset();
         }});
  }));
}

TEST(a_countdown_in_all_interleavings, shows_what_all_have_written_and_may_be_destroyed) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2}, [] {
    std::optional<countdown> left(std::in_place, 2u);
    variable<int> first(0);
    variable<int> second(0);
    run({[&] {
           first.write(1);
           left->done();
         },
         [&] {
           second.write(2);
           left->done();
         },
         [&] {
           left->wait(at_once);
           check(first.read() + second.read() == 3, "sees what both have written");
           left.reset();
         }});
  }));
}

}  // namespace
}  // namespace overture::event_count_test
