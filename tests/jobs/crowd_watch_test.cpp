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

TEST(a_crowd_watch, sees_that_interruptions_begin_later) {
  crowd_watch watch;
  watch.begin(woken_ns);
  ASSERT_EQ(moves_at(watch, woken_ns, 1000, 0), 0u);
  const std::uint64_t begin_ns = woken_ns + 1000 * job_ns;
  const std::uint64_t moved_ns = moves_at(watch, begin_ns, 100, 1);
  EXPECT_GT(moved_ns, begin_ns);
  EXPECT_LE(moved_ns, begin_ns + crowd_watch::window_most_ns + 2 * crowd_watch::window_ns);
}

TEST(a_crowd_watch, leaves_a_worker_alone_that_nobody_interrupts) {
  crowd_watch watch;
  EXPECT_EQ(moves_at(watch, woken_ns, 100, 1), 0u) << "it was not woken";
  watch.begin(woken_ns);
  EXPECT_EQ(moves_at(watch, woken_ns, 1000, 0), 0u);
}

// How often it asks within that time, while jobs are short and each window has so many preemptions.
std::uint64_t asked_within(std::uint64_t time_ns, std::uint64_t preemptions_of_window) {
  crowd_watch watch;
  watch.begin(woken_ns);
  std::uint64_t asked = 0;
  for (std::uint64_t now_ns = woken_ns; now_ns < woken_ns + time_ns; now_ns += 100) {
    if (!watch.job_ended()) continue;
    EXPECT_FALSE(watch.look(now_ns, [&] { return preemptions_of_window * ++asked; }));
  }
  return asked;
}

TEST(a_crowd_watch, asks_the_system_once_in_a_window) {
  constexpr std::uint64_t time_ns = 20'000'000;
  EXPECT_GE(asked_within(time_ns, 1), time_ns / crowd_watch::window_ns / 2);
  EXPECT_LE(asked_within(time_ns, 1), 2 + time_ns / crowd_watch::window_ns);
}

TEST(a_crowd_watch, asks_more_rarely_while_nobody_interrupts) {
  constexpr std::uint64_t time_ns = 20'000'000;
  EXPECT_GE(asked_within(time_ns, 0), time_ns / crowd_watch::window_most_ns);
  EXPECT_LE(asked_within(time_ns, 0), 6 + time_ns / crowd_watch::window_most_ns);
}

TEST(a_crowd_watch, takes_interruptions_that_are_far_apart_for_none) {
  crowd_watch watch;
  watch.begin(woken_ns);
  std::uint64_t preempted = 7;
  for (int i = 1; i <= 1000; ++i) {
    const std::uint64_t now_ns = woken_ns + static_cast<std::uint64_t>(i) * job_ns;
    if (i % 100 == 0) preempted += 2;  // each four milliseconds
    ASSERT_FALSE(watch.job_ended() && watch.look(now_ns, [&] { return preempted; })) << i;
  }
}

TEST(a_crowd_watch, moves_a_worker_less_and_less_often_where_that_is_for_nothing) {
  crowd_watch watch;
  watch.begin(woken_ns);
  std::uint64_t last_ns = moves_at(watch, woken_ns, 100, 1);
  ASSERT_NE(last_ns, 0u);
  std::uint64_t rest_ns = crowd_watch::rest_least_ns;
  for (int i = 0; i < 3; ++i) {
    rest_ns *= 4;
    const std::uint64_t next_ns = moves_at(watch, last_ns, 100'000, 1);
    EXPECT_GE(next_ns, last_ns + rest_ns);
    last_ns = next_ns;
  }
  // Until it helps.
  last_ns = moves_at(watch, last_ns, 100'000, 1);
  ASSERT_EQ(moves_at(watch, last_ns, 100, 0), 0u);
  last_ns = moves_at(watch, last_ns + 100 * job_ns, 100'000, 1);
  ASSERT_NE(last_ns, 0u);
  ASSERT_EQ(moves_at(watch, last_ns, 100, 0), 0u);
  const std::uint64_t calm_ns = last_ns + 100 * job_ns;
  EXPECT_LE(moves_at(watch, calm_ns, 100'000, 1), calm_ns + 2 * crowd_watch::rest_least_ns);
}

}  // namespace
}  // namespace overture
