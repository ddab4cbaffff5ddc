// Which of several sleepers a wake chooses. The explorer's threads 0 and 2 run on one processor,
// 1 and 3 on another.
#include "jobs/parking.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"

namespace overture {
namespace {

using interleave::check;
using interleave::expect_clean;
using interleave::run;

TEST(a_wake_in_all_interleavings, goes_to_who_went_to_sleep_on_another_processor) {
  expect_clean(interleave::explore({.preemptions = 2, .stale_loads = 0}, [] {
    constexpr unsigned workers = 2;
    const auto seats = std::make_unique<parking::seat_type[]>(workers);
    parking sleepers(seats.get(), workers, 0, false);
    const auto sleep_in = [&sleepers](unsigned seat) {
      sleepers.begin_search();
      sleepers.announce_worker(seat);
      sleepers.sleep_worker(seat, 0, "asleep");
      (void)sleepers.end_search();
    };
    constexpr unsigned here = 0;
    constexpr unsigned elsewhere = 1;
    run({[&] {
           while (sleepers.parked_workers() != workers) interleave::let_others_run();
           sleepers.wake_worker();
           check(!sleepers.is_parked(elsewhere), "the one of the other processor is woken first");
           check(sleepers.is_parked(here), "the one of this processor sleeps on");
           sleepers.wake_worker(parking::no_seat, true);
           check(!sleepers.is_parked(here), "and is woken where nobody else is left");
         },
         [&] { sleep_in(elsewhere); }, [&] { sleep_in(here); }});
  }));
}

}  // namespace
}  // namespace overture
