// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "load/load_rig.hpp"
#include "overture/load/load_scope.hpp"
#include "overture/trace/timeline.hpp"

namespace overture::verdict_test {
namespace {

constexpr std::uint64_t ms = 1'000'000;

void spend(event_kind kind, const char* name, std::uint64_t ns) {
  record({.begin_ns = 1000, .end_ns = 1000 + ns, .name = name, .kind = kind});
}

// Records on a new thread of this name.
template <class Body>
void on_thread(timeline& times, const char* name, Body body) {
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

TEST(verdict, is_named_after_the_largest_share) {
  timeline times;
  on_thread(times, "main", [] {
    spend(event_kind::zone, "decode", 60 * ms);
    spend(event_kind::zone, "unpack", 30 * ms);
  });
  on_thread(times, "worker 1", [] {
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

TEST(verdict, waiting_for_a_solid_block_is_not_waiting_for_reads) {
  timeline times;
  on_thread(times, "worker 1", [] {
    spend(event_kind::zone, "decode", 20 * ms);
    spend(event_kind::wait, idle_reasons::read, 10 * ms);
    spend(event_kind::wait, wait_reasons::solid_block, 70 * ms);
  });
  const load_verdict verdict = judge(times, 0, 100 * ms);
  EXPECT_STREQ(verdict.name, "waiting for solid blocks");
  EXPECT_EQ(share(verdict, idle_reasons::solid_block), 70 * ms);
  EXPECT_EQ(share(verdict, idle_reasons::read), 10 * ms);
}

TEST(verdict, of_totals_that_were_kept_is_that_of_their_timeline) {
  timeline times;
  on_thread(times, "worker 1", [] {
    spend(event_kind::zone, "decode", 60 * ms);
    spend(event_kind::wait, idle_reasons::read, 90 * ms);
  });
  on_thread(times, "io 1", [] { spend(event_kind::zone, "decode", 70 * ms); });
  std::vector<thread_totals> threads;
  for (std::size_t i = 0; i < times.track_count(); ++i) {
    threads.push_back({times.track(i).name(), times.track(i).totals()});
  }
  const load_verdict live = judge(times, 0, 100 * ms);
  const load_verdict kept = judge(threads, 100 * ms);
  EXPECT_STREQ(kept.name, live.name);
  EXPECT_EQ(kept.worker_ns, live.worker_ns);
  ASSERT_EQ(kept.share_count, live.share_count);
  for (std::size_t i = 0; i < kept.share_count; ++i) {
    EXPECT_STREQ(kept.shares[i].name, live.shares[i].name);
    EXPECT_EQ(kept.shares[i].ns, live.shares[i].ns);
  }
}

TEST(verdict, has_shares_that_add_up_even_if_waits_outlast_the_load) {
  timeline times;
  on_thread(times, "worker 1", [] {
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

TEST(verdict, counts_a_wait_inside_a_stage_to_the_stage) {
  timeline times;
  on_thread(times, "main", [] {
    spend(event_kind::wait, "lock", 30 * ms);
    spend(event_kind::zone, "resolve", 80 * ms);
  });
  const load_verdict verdict = judge(times, 0, 100 * ms);
  EXPECT_STREQ(verdict.name, "resolve-bound");
  EXPECT_EQ(share(verdict, "lock"), 0u);
  EXPECT_EQ(share(verdict, "other"), 20 * ms);
}

TEST(verdict, ignores_the_threads_of_the_read_queue) {
  timeline times;
  on_thread(times, "io 1", [] { spend(event_kind::zone, "read", 90 * ms); });
  const load_verdict verdict = judge(times, 0, 100 * ms);
  EXPECT_EQ(verdict.worker_ns, 0u);
  EXPECT_STREQ(verdict.name, "nothing to do");
}

// The pool's reasons hold before and after a load.
TEST(verdict, takes_idle_time_without_a_reason_only_for_what_is_left) {
  timeline times;
  on_thread(times, "worker 1", [] {
    spend(event_kind::wait, "no job", 5000 * ms);
    spend(event_kind::zone, "decode", 20 * ms);
    spend(event_kind::wait, idle_reasons::read, 70 * ms);
  });
  const load_verdict verdict = judge(times, 0, 100 * ms);
  EXPECT_STREQ(verdict.name, "waiting for reads");
  EXPECT_EQ(share(verdict, idle_reasons::read), 70 * ms);
  EXPECT_EQ(share(verdict, "no job"), 10 * ms);
  EXPECT_EQ(share(verdict, "other"), 0u);
}

// Threads that hardly run, because other programs have the processors, and wait for the disk.
TEST(verdict, of_a_cold_load_on_a_busy_machine_is_not_overhead) {
  timeline times;
  on_thread(times, "main", [] {
    spend(event_kind::zone, "read", 2 * ms);
    spend(event_kind::wait, idle_reasons::read, 93 * ms);
  });
  on_thread(times, "worker 1", [] {
    spend(event_kind::wait, idle_reasons::to_run, 30 * ms);
    spend(event_kind::wait, idle_reasons::read, 69 * ms);
  });
  EXPECT_STREQ(judge(times, 0, 100 * ms).name, "waiting for reads");
}

struct named_case {
  event_kind kind;
  const char* name;
  const char* verdict;
};

class verdict_name : public testing::TestWithParam<named_case> {};

TEST_P(verdict_name, follows_from_the_share) {
  timeline times;
  on_thread(times, "main", [] { spend(GetParam().kind, GetParam().name, 90 * ms); });
  EXPECT_STREQ(judge(times, 0, 100 * ms).name, GetParam().verdict);
}

INSTANTIATE_TEST_SUITE_P(
    All, verdict_name,
    testing::Values(
        named_case{event_kind::zone, "resolve", "resolve-bound"},
        named_case{event_kind::zone, "read", "read-bound"},
        named_case{event_kind::zone, "unpack", "unpack-bound"},
        named_case{event_kind::zone, "decode", "decode-bound"},
        named_case{event_kind::zone, "finalize", "finalize-bound"},
        named_case{event_kind::wait, idle_reasons::read, "waiting for reads"},
        named_case{event_kind::wait, idle_reasons::budget, "waiting for memory"},
        named_case{event_kind::wait, idle_reasons::main_thread, "main-thread-bound"},
        named_case{event_kind::wait, idle_reasons::nothing_left, "waiting for the last files"},
        named_case{event_kind::wait, idle_reasons::for_workers, "waiting for the workers"},
        named_case{event_kind::wait, idle_reasons::to_run, "waiting to run"},
        named_case{event_kind::wait, "drain", "waiting for reads"},
        named_case{event_kind::wait, "no job", "waiting"},
        named_case{event_kind::wait, "group", "waiting"},
        named_case{event_kind::zone, "something else", "overhead-bound"}));

// --- Whole loads ---------------------------------------------------------------------------------

struct few_files {
  int files;
  unsigned threads;
};

class few_files_on_a_slow_disk : public testing::TestWithParam<few_files> {};

// The first read ends only when all workers are asleep again.
load_verdict verdict_of_few_files(const few_files& how) {
  test::fake_os os;
  for (int i = 0; i < how.files; ++i) {
    os.add_file("/game/" + std::to_string(i) + ".bin", std::string(1000, 'x'));
  }
  timeline times;
  EXPECT_TRUE(times.attach_thread("main"));
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  {
    file_system files({.os = &os});
    EXPECT_TRUE(files.mount("/game"));
    EXPECT_TRUE(files.freeze());
    const unsigned workers = how.threads - 1;
    thread_pool jobs{{.workers = workers, .worker_thread = {.name = "worker"}, .record = &times}};
    os.at_call(test::os_call::read, 0, [&] {
      while (jobs.stats().parked_now < workers) std::this_thread::yield();
    });
    read_queue reads{files, {.threads = 1}};
    begin_ns = now_ns();
    load_scope scope{files, reads, jobs};
    EXPECT_TRUE(scope.start());
    test::finish(scope);
    end_ns = now_ns();
  }
  times.detach_thread();
  return judge(times, begin_ns, end_ns);
}

TEST_P(few_files_on_a_slow_disk, are_waited_for_and_not_for_memory) {
  const load_verdict verdict = verdict_of_few_files(GetParam());
  EXPECT_GT(share(verdict, idle_reasons::read), 0u);
  EXPECT_EQ(share(verdict, idle_reasons::budget), 0u);
  EXPECT_EQ(share(verdict, idle_reasons::main_thread), 0u);
}

INSTANTIATE_TEST_SUITE_P(All, few_files_on_a_slow_disk,
                         testing::Values(few_files{1, 2}, few_files{4, 2}, few_files{1, 8},
                                         few_files{4, 8}),
                         [](const auto& of) {
                           return std::to_string(of.param.files) + "_files_" +
                                  std::to_string(of.param.threads) + "_threads";
                         });

}  // namespace
}  // namespace overture::verdict_test
