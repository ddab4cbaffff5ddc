// Which of several sleepers a wake reaches.
#include "jobs/sleep/parking.hpp"

#include <gtest/gtest.h>

#include "interleave/expect.hpp"
#include "interleave/explorer.hpp"

namespace overture::jobs_detail {
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
      sleepers.sleep_worker(seat, 0, "asleep");
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

}  // namespace
}  // namespace overture::jobs_detail
