// SPDX-License-Identifier: Zlib
//
// Thieves take several jobs from outside at once while the owner pops its own.
#include "jobs/queues/job_deque.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"
#include "jobs/queues/pool_slot.hpp"
#include "jobs/sleep/parking.hpp"

namespace overture::jobs_detail::job_deque_test {
namespace {

using interleave::check;
using interleave::expect_clean_nearby;
using interleave::run;

constexpr std::size_t jobs = 5;
constexpr std::size_t from_outside = 2;

struct counted_deque {
  counted_deque() { check(deque.initialise(default_allocator()), "has memory"); }
  void push(std::size_t number) {
    check(deque.make_room(), "has room");
    deque.push(records[number]);
  }
  void count(const job_record* record) {
    if (record != nullptr) taken[static_cast<std::size_t>(record - records.data())].fetch_add(1);
  }
  void steal_several() {
    std::array<job_record*, jobs> several{};
    const std::size_t count_taken = deque.steal_arrivals(several);
    for (std::size_t i = 0; i < count_taken; ++i) count(several[i]);
  }

  job_deque deque;
  std::array<job_record, jobs> records;
  std::array<atomic<int>, jobs> taken{};
};

void give_each_job_once() {
  const auto shared = std::make_unique<counted_deque>();
  for (std::size_t i = 0; i < from_outside; ++i) shared->push(i);
  shared->deque.mark_arrivals();
  run({[&] {
         for (std::size_t i = from_outside; i < jobs; ++i) shared->push(i);
         while (shared->deque.has_own()) {
           const job_hint mine = shared->deque.pop();
           if (!mine) break;
           shared->count(mine.record());
         }
       },
       [&] {
         shared->steal_several();
         shared->steal_several();
       },
       [&] { shared->count(shared->deque.steal().record()); }});
  while (!shared->deque.empty()) shared->count(shared->deque.steal().record());
  for (const auto& times : shared->taken) check(times.load() == 1, "taken once");
}

// The owner claims what came from outside in its order, and leaves the hints behind.
void give_each_arrival_once() {
  const auto shared = std::make_unique<counted_deque>();
  for (std::size_t i = 0; i < jobs; ++i) {
    shared->records[i].arm(job([] {}), nullptr, {}, job_record::usual);
    shared->push(i);
  }
  shared->deque.mark_arrivals();
  const auto count_claimed = [&](job_record* record) {
    if (record != nullptr && record->claim()) shared->count(record);
  };
  run({[&] {
         while (job_record* const mine = shared->deque.claim_arrival()) shared->count(mine);
         check(shared->deque.empty(), "is empty when its owner finds nothing");
       },
       [&] {
         count_claimed(shared->deque.steal().record());
         count_claimed(shared->deque.steal().record());
       },
       [&] {
         std::array<job_record*, 2> several{};
         const std::size_t count = shared->deque.steal_arrivals(several);
         for (std::size_t i = 0; i < count; ++i) count_claimed(several[i]);
       }});
  for (const auto& times : shared->taken) check(times.load() == 1, "run once");
}

TEST(a_job_deque_in_all_interleavings, gives_its_owner_what_no_thief_has) {
  expect_clean_nearby(give_each_arrival_once);
}

TEST(a_job_deque_in_all_interleavings, gives_each_job_to_one_thread_only) {
  expect_clean_nearby(give_each_job_once);
}

// A thread that waits looks through it without removing anything, and never at a hint twice.
TEST(a_job_deque_in_all_interleavings, gives_a_waiter_its_jobs_while_it_grows) {
  expect_clean_nearby([] {
    const auto shared = std::make_unique<counted_deque>();
    const auto add = [&](std::size_t number) {
      shared->records[number].arm(job([] {}), nullptr, {}, job_record::usual);
      shared->push(number);
    };
    add(0);
    add(1);
    std::uint64_t next = 1;
    const auto look = [&] {
      while (job_record* const mine = shared->deque.claim_next_of(nullptr, next, 2)) {
        check(mine != &shared->records[0], "not the one before");
        shared->count(mine);
      }
    };
    run({[&] {
           for (std::size_t i = 2; i < jobs; ++i) add(i);
         },
         look});
    look();
    check(next == jobs, "all are looked at");
    for (std::size_t i = 1; i < jobs; ++i) check(shared->taken[i].load() == 1, "taken once");
  });
}

// Hints that are needed are in no queue for a moment, in which a waiter may look for one.
TEST(a_job_deque_in_all_interleavings, tells_waiters_of_jobs_that_it_hid_for_a_moment) {
  expect_clean_nearby([] {
    const auto shared = std::make_unique<counted_deque>();
    parking sleepers(default_allocator(), 1, 0);
    int address = 0;
    auto* const group = reinterpret_cast<job_group*>(&address);  // only compared
    shared->records[1].arm(job([] {}), group, {}, job_record::usual);
    shared->push(0);  // no longer needed
    shared->push(1);
    run({[&] { shared->deque.remove_dead(sleepers); },
         [&] {
           const auto take = [&] { return shared->deque.claim_of(group, false) != nullptr; };
           while (!take()) {
             sleepers.announce_waiter(0, group);
             if (take()) {
               (void)sleepers.withdraw_waiter(0);
               return;
             }
             (void)sleepers.sleep_waiter(0, 0);
           }
         }});
    check(shared->deque.size() <= 1, "the other hint is gone");
  });
}

// A thread that waits for what a slot runs inside something else must not take the forks of that.
TEST(a_job_deque_in_all_interleavings, shows_no_fork_of_what_its_owner_ran_before) {
  expect_clean_nearby([] {
    const auto slot = std::make_unique<pool_slot>();
    check(slot->deque.initialise(default_allocator()), "has memory");
    fork_half half;
    const int outer = 0;  // their addresses
    const int inner = 0;
    run({[&] {
           const pool_slot::running first(*slot, &outer);
           check(slot->deque.make_room(), "has room");
           slot->deque.push_fork(half);
           {
             const pool_slot::running second(*slot, &inner);
           }
           check(slot->deque.pop().half() == &half, "it is still there");
         },
         [&] {
           const auto runs_inner = [&] {
             return slot->runs.load(std::memory_order_acquire) == &inner;
           };
           check(slot->deque.steal_fork(slot->forks_start, runs_inner) == nullptr, "it has none");
         }});
  });
}

}  // namespace
}  // namespace overture::jobs_detail::job_deque_test
