// SPDX-License-Identifier: Zlib
//
// Which of several sleepers a wake reaches.
#include "jobs/sleep/parking.hpp"

#include <gtest/gtest.h>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"

namespace overture::jobs_detail::parking_test {
namespace {

using interleave::check;
using interleave::expect_clean_nearby;
using interleave::run;

TEST(a_wake_in_all_interleavings, takes_one_sleeper_at_a_time) {
  expect_clean_nearby([] {
    constexpr unsigned workers = 2;
    parking sleepers(default_allocator(), workers, 0);
    const auto sleep_in = [&sleepers](unsigned seat) {
      sleepers.begin_search();
      sleepers.announce_worker(seat);
      sleepers.sleep_worker(seat, 0);
      (void)sleepers.end_search();
    };
    run({[&] {
           while (sleepers.parked_workers() != workers) interleave::let_others_run();
           sleepers.wake_worker();
           check(!sleepers.is_parked(0) && sleepers.is_parked(1), "one wakes, one sleeps on");
           sleepers.wake_worker(parking::no_seat, true);
           check(!sleepers.is_parked(1), "the other one wakes too");
         },
         [&] { sleep_in(0); }, [&] { sleep_in(1); }});
  });
}

// One sleeps with a deadline. Whoever counts a parked worker down must find one.
TEST(a_wake_in_all_interleavings, finds_a_worker_though_the_time_of_another_is_up) {
  expect_clean_nearby([] {
    constexpr unsigned workers = 2;
    parking sleepers(default_allocator(), workers, 0);
    atomic<unsigned> done{0};
    const auto sleep_in = [&](unsigned seat, std::uint64_t deadline_ns) {
      sleepers.begin_search();
      sleepers.announce_worker(seat);
      sleepers.sleep_worker(seat, deadline_ns);
      check(!sleepers.is_parked(seat), "it was taken before it goes on");
      (void)sleepers.end_search();
    };
    run({[&] {
           while (done.load() != workers) {
             if (sleepers.parked_workers() != 0) {
               sleepers.wake_worker(parking::no_seat, true);
             } else {
               interleave::let_others_run();
             }
           }
         },
         [&] {
           sleep_in(0, 1'000);
           sleep_in(0, 0);
           done.fetch_add(1);
         },
         [&] {
           sleep_in(1, 0);
           done.fetch_add(1);
         }});
    check(sleepers.parked_workers() == 0, "all are awake, and counted");
  });
}

TEST(a_wake_in_all_interleavings, is_not_needed_by_a_worker_whose_time_is_up) {
  expect_clean_nearby([] {
    parking sleepers(default_allocator(), 1, 0);
    run({[&] {
      sleepers.begin_search();
      sleepers.announce_worker(0);
      sleepers.sleep_worker(0, 1'000);
      check(!sleepers.is_parked(0), "it is awake");
      (void)sleepers.end_search();
    }});
  });
}

// A worker that waits in a job and one that has no job sleep in the same seat.
TEST(a_wake_in_all_interleavings, does_not_outlast_the_wait_that_it_was_for) {
  expect_clean_nearby([] {
    parking sleepers(default_allocator(), 1, 0);
    const int group = 0;  // its address
    run({[&] {
           sleepers.announce_waiter(0, &group);
           (void)sleepers.withdraw_waiter(0);
           sleepers.begin_search();
           sleepers.announce_worker(0);
           sleepers.sleep_worker(0, 0);
           check(!sleepers.is_parked(0), "it was taken before it goes on");
           (void)sleepers.end_search();
         },
         [&] {
           sleepers.wake_waiters(&group);
           while (sleepers.parked_workers() == 0) interleave::let_others_run();
           sleepers.wake_worker();
         }});
  });
}

// What a waiter with a seat does, as in waiter::sleep(). What it waits for, all who wait hear of.
template <class Found>
void wait_in_seat(parking& sleepers, unsigned seat, const void* group, Found found) {
  while (!found()) {
    sleepers.announce_waiter(seat, group);
    if (found()) return (void)sleepers.withdraw_waiter(seat);
    (void)sleepers.sleep_waiter(seat, 0);
  }
}

TEST(a_waiter_in_all_interleavings, hears_of_the_end_of_its_group_though_another_was_woken_first) {
  expect_clean_nearby([] {
    parking sleepers(default_allocator(), 2, 0);
    atomic<bool> ended{false};
    const int group = 0;  // its address
    const auto found = [&ended] { return ended.load(std::memory_order_seq_cst); };
    run({[&] { wait_in_seat(sleepers, 1, &group, found); },
         [&] { wait_in_seat(sleepers, 0, &group, found); },
         [&] {
           sleepers.work_added(&group);
           ended.exchange(true, std::memory_order_seq_cst);
           sleepers.wake_waiters(&group);
         }});
    check(!sleepers.has_waiters(), "both are gone");
  });
}

// The first seat changes hands while the thread that adds work looks at it.
TEST(a_waiter_in_all_interleavings, hears_of_work_though_a_waiter_for_another_group_was_woken) {
  expect_clean_nearby([] {
    parking sleepers(default_allocator(), 2, 0);
    atomic<bool> work{false};
    atomic<bool> other_ended{false};
    const int groups[2] = {};  // their addresses
    const auto loaded = [](const atomic<bool>& flag) {
      return [&flag] { return flag.load(std::memory_order_seq_cst); };
    };
    run({[&] {
           sleepers.announce_waiter(0, &groups[0]);
           if (sleepers.withdraw_waiter(0)) sleepers.work_added(&groups[0]);
           wait_in_seat(sleepers, 0, &groups[1], loaded(other_ended));
         },
         [&] {
           wait_in_seat(sleepers, 1, &groups[0], loaded(work));
           other_ended.exchange(true, std::memory_order_seq_cst);
           sleepers.wake_waiters(&groups[1]);
         },
         [&] {
           work.exchange(true, std::memory_order_seq_cst);
           sleepers.work_added(&groups[0]);
         }});
    check(!sleepers.has_waiters(), "both are gone");
  });
}

// What a waiter without a seat does, as in waiter::sleep_in_crowd().
template <class Found>
void wait_in_crowd(parking& sleepers, Found found) {
  while (!found()) {
    const event_count::key_type key = sleepers.join_crowd();
    if (found()) return sleepers.leave_crowd();
    sleepers.sleep_in_crowd(key, 0);
  }
}

TEST(a_waiter_without_a_seat_in_all_interleavings, hears_of_work_and_of_the_end_of_its_group) {
  for (const bool ends : {false, true}) {
    const auto program = [ends] {
      constexpr unsigned slots = 1;
      parking sleepers(default_allocator(), slots, 0);
      atomic<int> work{0};
      const int group = 0;  // its address
      const auto found = [&work] { return work.load(std::memory_order_seq_cst) != 0; };
      run({[&] {
             work.fetch_add(1, std::memory_order_seq_cst);
             if (ends) return sleepers.wake_waiters(&group);
             sleepers.work_added(&group);
           },
           [&] { wait_in_crowd(sleepers, found); }, [&] { wait_in_crowd(sleepers, found); }});
      check(!sleepers.has_waiters(), "both are gone");
    };
    expect_clean(interleave::explore({.preemptions = 2, .stale_loads = 1}, program));
    expect_clean(interleave::explore({.stale_loads = 4, .random = interleave::some}, program));
  }
}

}  // namespace
}  // namespace overture::jobs_detail::parking_test
