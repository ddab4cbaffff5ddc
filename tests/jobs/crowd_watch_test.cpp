#include "jobs/crowd_watch.hpp"

#include <gtest/gtest.h>

namespace overture {
namespace {

constexpr std::uint64_t woken_ns = 1'000'000'000;
constexpr std::uint64_t job_ns = 40'000;

// Jobs one behind the other, with so many preemptions during each. When the worker moves, 0 if it
// does not.
std::uint64_t moves_at(crowd_watch& watch, std::uint64_t start_ns, int jobs,
                       std::uint64_t preemptions_of_job) {
  std::uint64_t preempted = 7;
  for (int i = 1; i <= jobs; ++i) {
    const std::uint64_t now_ns = start_ns + static_cast<std::uint64_t>(i) * job_ns;
    preempted += preemptions_of_job;
    if (watch.job_ended() && watch.look(now_ns, [&] { return preempted; })) return now_ns;
  }
  return 0;
}

TEST(a_crowd_watch, moves_a_worker_that_is_interrupted_again_and_again) {
  crowd_watch watch;
  watch.begin(woken_ns);
  const std::uint64_t moved_ns = moves_at(watch, woken_ns, 100, 1);
  EXPECT_GE(moved_ns, woken_ns + crowd_watch::first_look_ns + crowd_watch::window_ns);
  EXPECT_LE(moved_ns, woken_ns + 3 * (crowd_watch::first_look_ns + crowd_watch::window_ns));
}

TEST(a_crowd_watch, leaves_a_worker_alone_that_nobody_interrupts) {
  crowd_watch watch;
  EXPECT_EQ(moves_at(watch, woken_ns, 100, 1), 0u) << "it was not woken";
  watch.begin(woken_ns);
  EXPECT_EQ(moves_at(watch, woken_ns, 1000, 0), 0u);
}

TEST(a_crowd_watch, asks_the_system_twice_behind_a_wake) {
  crowd_watch watch;
  watch.begin(woken_ns);
  int asked = 0;
  for (std::uint64_t now_ns = woken_ns; now_ns < woken_ns + 20'000'000; now_ns += 100) {
    if (!watch.job_ended()) continue;
    EXPECT_FALSE(watch.look(now_ns, [&asked] { return std::uint64_t{0} * ++asked; }));
  }
  EXPECT_EQ(asked, 2);
}

TEST(a_crowd_watch, moves_a_worker_a_few_times_and_then_lets_it_rest) {
  crowd_watch watch;
  watch.begin(woken_ns);
  std::uint64_t now_ns = woken_ns;
  for (unsigned i = 0; i < crowd_watch::moves_max; ++i) {
    now_ns = moves_at(watch, now_ns, 100, 1);
    ASSERT_NE(now_ns, 0u);
  }
  EXPECT_EQ(moves_at(watch, now_ns, 1000, 1), 0u) << "the same wake";
  watch.begin(now_ns);
  EXPECT_EQ(moves_at(watch, now_ns, 1000, 1), 0u) << "a wake soon after it";
  watch.begin(now_ns + crowd_watch::rest_ns);
  EXPECT_NE(moves_at(watch, now_ns + crowd_watch::rest_ns, 1000, 1), 0u);
}

}  // namespace
}  // namespace overture
