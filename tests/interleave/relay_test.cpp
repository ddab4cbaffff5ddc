// SPDX-License-Identifier: Zlib
//
// Relayed wakes: the count of sync/relay.hpp, with a kernel modelled by the explorer.
// Threads come and go between moving, counting, taking and waking.
#include "sync/relay.hpp"

#include <gtest/gtest.h>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"
#include "interleave/include/sync/wait.hpp"

namespace overture::relay_test {
namespace {

using interleave::run;

constexpr std::uint64_t some_time = 1;

void sleep_on(const atomic<std::uint32_t>& word) {
  while (word.load() == 0) (void)sync_detail::address_wait(word, 0, 0);
}
void release(atomic<std::uint32_t>& word) {
  word.store(1);
  sync_detail::address_wake_relayed(&word);
}

TEST(relayed_wakes_in_all_interleavings, reach_all_sleepers) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2}, [] {
    atomic<std::uint32_t> word{0};
    const auto sleep = [&] { sleep_on(word); };
    run({sleep, sleep, sleep, [&] { release(word); }});
  }));
}

// Two words share a queue: a thread that moves sleepers takes over those that another has moved and
// not counted yet.
TEST(relayed_wakes_in_all_interleavings, of_two_words_in_one_queue_reach_all) {
  expect_clean_and_complete(interleave::explore({.preemptions = 1}, [] {
    atomic<std::uint32_t> one{0};
    atomic<std::uint32_t> other{0};
    run({[&] { sleep_on(one); }, [&] { sleep_on(one); }, [&] { sleep_on(other); },
         [&] { release(one); }, [&] { release(other); }});
  }));
}

// Sleepers of the second word are counted while one of the first takes its share. There are
// millions of schedules; with a count that is taken by a load and a store, one of the first 10,000
// fails.
TEST(relayed_wakes_in_many_interleavings, of_one_word_after_another_reach_all) {
  expect_clean(interleave::explore({.preemptions = 2, .executions_max = 50'000}, [] {
    atomic<std::uint32_t> one{0};
    atomic<std::uint32_t> other{0};
    const auto sleep_on_one = [&] { sleep_on(one); };
    const auto sleep_on_other = [&] { sleep_on(other); };
    run({sleep_on_one, sleep_on_one, sleep_on_other, sleep_on_other, [&] {
           release(one);
           release(other);
         }});
  }));
}

TEST(relayed_wakes_in_all_interleavings, go_on_past_waiters_that_give_up) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2}, [] {
    atomic<std::uint32_t> word{0};
    const auto sleep = [&] { sleep_on(word); };
    run({sleep, [&] { (void)sync_detail::address_wait(word, 0, some_time); }, sleep,
         [&] { release(word); }});
  }));
}

// A wake for an earlier object at the address: all wake for nothing and sleep again.
TEST(relayed_wakes_in_all_interleavings, that_come_late_strand_no_sleeper) {
  expect_clean_and_complete(interleave::explore({.preemptions = 2}, [] {
    atomic<std::uint32_t> word{0};
    const auto sleep = [&] { sleep_on(word); };
    run({sleep, sleep, [&] { sync_detail::address_wake_relayed(&word); }, [&] { release(word); }});
  }));
}

}  // namespace
}  // namespace overture::relay_test
