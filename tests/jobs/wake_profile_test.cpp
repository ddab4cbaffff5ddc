// SPDX-License-Identifier: Zlib
#include "overture/jobs/wake_profile.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "jobs/pool_test_support.hpp"
#include "overture/trace/timeline.hpp"

namespace overture::wake_profile_test {
namespace {

std::uint64_t sum_of(const auto& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

TEST(the_wake_profile, counts_each_wake_once_and_says_which_thread_paid) {
  thread_pool pool{{.workers = 1}};
  wake_profile seen;
  // A worker that is only about to sleep needs no system call; then the next job counts.
  while (seen.wakes() == 0) {
    test::await_parked(pool);
    const wake_profile before = pool.profile();
    barricade done;
    pool.submit([&done] { done.lower(); });
    done.wait();
    seen = pool.profile() - before;
  }
  EXPECT_EQ(seen.paid_by_host, 1u);
  EXPECT_EQ(seen.paid_by_jobs, 0u);
  EXPECT_EQ(seen.wakes(), 1u);
  EXPECT_EQ(sum_of(seen.signal_to_run), 1u);
  EXPECT_EQ(seen.chain_depth[0], 1u);
  EXPECT_GT(seen.percentile_ns(0.99), 0u);
}

TEST(the_wake_profile, knows_how_deep_a_chain_of_wakes_went) {
  thread_pool pool{{.workers = 3}};
  test::await_parked(pool);
  const wake_profile before = pool.profile();
  // Three jobs that wait for each other: the submitter wakes one worker, who wakes the next.
  atomic<int> there{0};
  job_group group(pool);
  std::vector<job> work;
  for (int i = 0; i < 3; ++i) {
    work.emplace_back([&there] {
      there.fetch_add(1);
      while (there.load() != 3) yield_thread();
    });
  }
  pool.submit_all(work, &group);
  while (there.load() != 3) yield_thread();
  group.wait();
  const wake_profile seen = pool.profile() - before;
  EXPECT_LE(seen.paid_by_host, 1u);
  EXPECT_GE(seen.paid_by_searchers, 1u);
  EXPECT_GE(seen.chain_depth[1], 1u);
}

TEST(the_wake_profile, of_a_zone_begins_with_it) {
  thread_pool pool{{.workers = 1}};
  // One that is only about to sleep needs no system call; then the next row counts.
  for (std::uint64_t seen = 0; seen < 3;) {
    test::await_parked(pool);
    const wake_zone zone(pool, wake_policy::park);
    EXPECT_EQ(zone.profile().wakes(), 0u);
    barricade done;
    pool.submit([&done] { done.lower(); });
    done.wait();
    ASSERT_LE(zone.profile().paid_by_host, 1u);
    seen += zone.profile().paid_by_host;
  }
}

TEST(the_wake_profile, finds_percentiles_at_the_ends_of_buckets) {
  wake_profile made;
  EXPECT_EQ(made.percentile_ns(0.5), 0u);
  made.signal_to_run[2] = 98;
  made.signal_to_run[5] = 2;
  EXPECT_EQ(made.percentile_ns(0.0), 1024u);
  EXPECT_EQ(made.percentile_ns(0.5), 1024u);
  EXPECT_EQ(made.percentile_ns(0.99), 8192u);
}

TEST(the_timeline, shows_wakes_and_jobs_in_their_colour) {
  timeline record;
  {
    thread_pool pool{{.workers = 1, .record = &record}};
    // One that is only about to sleep is not woken; then the next job counts.
    do {
      test::await_parked(pool);
      barricade done;
      pool.submit([&done] { done.lower(); }, nullptr,
                  {.name = "decode", .colour = zone_colour::green});
      done.wait();
    } while (pool.stats().wakes == 0);
  }
  bool wake = false;
  bool zone = false;
  record.track(0).for_each_event([&](const trace_event& event) {
    wake |= event.kind == event_kind::counter && std::strcmp(event.name, "wake_ns") == 0;
    zone |= event.kind == event_kind::zone && std::strcmp(event.name, "decode") == 0 &&
            event.colour == zone_colour::green;
  });
  EXPECT_TRUE(wake);
  EXPECT_TRUE(zone);

  class text final : public text_sink {
   public:
    result<void> write(std::string_view more) override {
      all += more;
      return {};
    }
    std::string all;
  } written;
  ASSERT_TRUE(write_chrome_json(record, written));
  EXPECT_NE(written.all.find(R"("cname":"good")"), std::string::npos);
}

}  // namespace
}  // namespace overture::wake_profile_test
