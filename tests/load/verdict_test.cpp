#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "overture/load.hpp"
#include "overture/timeline.hpp"

namespace overture {
namespace {

constexpr std::uint64_t ms = 1'000'000;

void spend(event_kind kind, const char* name, std::uint64_t ns) {
  record({.begin_ns = 1000, .end_ns = 1000 + ns, .name = name, .kind = kind});
}

// Records on a thread of its own, as a lane of this name.
template <class Body>
void on_lane(timeline& times, const char* name, Body body) {
  std::thread([&] {
    ASSERT_TRUE(times.attach_thread(name));
    body();
    times.detach_thread();
  }).join();
}

std::uint64_t share(const load_verdict& verdict, std::string_view name) {
  std::uint64_t ns = 0;
  for (std::size_t i = 0; i < verdict.share_count; ++i) {
    if (verdict.shares[i].name == name) ns += verdict.shares[i].ns;
  }
  return ns;
}

TEST(verdict, largest_share_gives_the_name) {
  timeline times;
  on_lane(times, "main", [] {
    spend(event_kind::zone, "decode", 60 * ms);
    spend(event_kind::zone, "unpack", 30 * ms);
  });
  on_lane(times, "worker 1", [] {
    spend(event_kind::zone, "decode", 10 * ms);
    spend(event_kind::wait, idle_reasons::read, 50 * ms);
  });
  const load_verdict verdict = judge(times, 0, 100 * ms);
  EXPECT_STREQ(verdict.name, "decode-bound");
  EXPECT_EQ(verdict.worker_ns, 200 * ms);
  EXPECT_EQ(share(verdict, "decode"), 70 * ms);
  EXPECT_EQ(share(verdict, "unpack"), 30 * ms);
  EXPECT_EQ(share(verdict, idle_reasons::read), 50 * ms);
  EXPECT_EQ(share(verdict, "other"), 50 * ms);
}

TEST(verdict, shares_add_up_to_the_workers_time_even_if_waits_reach_beyond_the_load) {
  timeline times;
  on_lane(times, "worker 1", [] {
    spend(event_kind::zone, "unpack", 40 * ms);
    spend(event_kind::wait, idle_reasons::nothing_left, 900 * ms);
    spend(event_kind::wait, idle_reasons::read, 300 * ms);
  });
  const load_verdict verdict = judge(times, 0, 100 * ms);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < verdict.share_count; ++i) sum += verdict.shares[i].ns;
  EXPECT_EQ(sum, verdict.worker_ns);
  EXPECT_EQ(share(verdict, "unpack"), 40 * ms);
  EXPECT_NEAR(static_cast<double>(share(verdict, idle_reasons::nothing_left)), 45e6, 1e3);
  EXPECT_STREQ(verdict.name, "waiting for the last files");
}

TEST(verdict, wait_inside_a_stage_belongs_to_the_stage) {
  timeline times;
  on_lane(times, "main", [] {
    spend(event_kind::wait, "lock", 30 * ms);
    spend(event_kind::zone, "resolve", 80 * ms);
  });
  const load_verdict verdict = judge(times, 0, 100 * ms);
  EXPECT_STREQ(verdict.name, "resolve-bound");
  EXPECT_EQ(share(verdict, "lock"), 0u);
  EXPECT_EQ(share(verdict, "other"), 20 * ms);
}

TEST(verdict, threads_of_the_read_queue_do_not_count) {
  timeline times;
  on_lane(times, "io 1", [] { spend(event_kind::zone, "read", 90 * ms); });
  const load_verdict verdict = judge(times, 0, 100 * ms);
  EXPECT_EQ(verdict.worker_ns, 0u);
  EXPECT_STREQ(verdict.name, "nothing to do");
}

struct named_case {
  event_kind kind;
  const char* name;
  const char* verdict;
};

class name_of_the_verdict : public testing::TestWithParam<named_case> {};

TEST_P(name_of_the_verdict, follows_from_the_share) {
  timeline times;
  on_lane(times, "main", [] { spend(GetParam().kind, GetParam().name, 90 * ms); });
  EXPECT_STREQ(judge(times, 0, 100 * ms).name, GetParam().verdict);
}

INSTANTIATE_TEST_SUITE_P(
    all, name_of_the_verdict,
    testing::Values(named_case{event_kind::zone, "resolve", "resolve-bound"},
                    named_case{event_kind::zone, "read", "read-bound"},
                    named_case{event_kind::zone, "unpack", "unpack-bound"},
                    named_case{event_kind::zone, "decode", "decode-bound"},
                    named_case{event_kind::zone, "finalize", "finalize-bound"},
                    named_case{event_kind::wait, idle_reasons::read, "waiting for reads"},
                    named_case{event_kind::wait, idle_reasons::budget, "waiting for memory"},
                    named_case{event_kind::wait, idle_reasons::main_thread, "main-thread-bound"},
                    named_case{event_kind::wait, idle_reasons::nothing_left,
                               "waiting for the last files"},
                    named_case{event_kind::wait, "no job", "waiting"},
                    named_case{event_kind::zone, "something else", "overhead-bound"}));

}  // namespace
}  // namespace overture
