// SPDX-License-Identifier: Zlib
#include "watch/findings/unwatched.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "made_up.hpp"
#include "watch/findings/finding.hpp"

namespace overture::watch::unwatched_test {
namespace {

unwatched_time rest_of(made_up& process) {
  const load_view view = view_of(process.done(1000_ms));
  std::uint64_t sum = 0;
  for (const main_part& each : main_parts(view)) sum += each.ns;
  EXPECT_EQ(sum, 1000_ms) << "the parts are the load";
  return unwatched_of(view, *view.main());
}

void sample(made_up& process, std::uint64_t begin_ns, std::uint64_t end_ns) {
  process->sample_ns = 1_ms;
  for (std::uint64_t at = begin_ns; at < end_ns; at += 1_ms) {
    process.main()->samples.push_back({at, 0x1100});
  }
}

TEST(silent_times, lie_between_calls_and_samples) {
  made_up process;
  process.main().read(process.name("/a"), 100_ms, 100_ms, 0, 10);
  process.main().open(process.name("/b"), 150_ms, 1_ms);  // within the read
  process.main().allocate(250_ms, 10, 1_ms);              // which takes no time there
  process.main()->samples = {{.at_ns = 400_ms, .address = 1}, {.at_ns = 404_ms, .address = 1}};
  const watched_thread& main = process.done(1000_ms).threads.front();
  const std::vector<silent_time> found = silent_times(main, 10_ms, 900_ms);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].begin_ns, 10_ms);
  EXPECT_EQ(found[0].end_ns, 100_ms);
  EXPECT_EQ(found[0].before, nullptr);
  EXPECT_EQ(found[0].after, &main.events[0]);
  EXPECT_EQ(found[1].begin_ns, 200_ms);
  EXPECT_EQ(found[1].end_ns, 400_ms);
  EXPECT_EQ(found[1].before, &main.events[0]);
  EXPECT_EQ(found[2].begin_ns, 404_ms) << "4 ms before it are no silence";
  EXPECT_EQ(found[2].end_ns, 900_ms);
  EXPECT_EQ(found[2].after, nullptr);
}

TEST(unwatched_time, is_waited_where_the_kernel_knows_no_core_and_nothing_was_sampled) {
  made_up process;
  process.main()->kernel = kernel_truth{.core_ns = 300_ms, .at_ns = 1000_ms};
  sample(process, 0, 300_ms);
  const unwatched_time rest = rest_of(process);
  EXPECT_EQ(rest.sampled_ns, 300_ms);
  EXPECT_EQ(rest.waited_ns, 700_ms);
  EXPECT_EQ(rest.other_ns, 0u);
}

// A menu that came before waited, perhaps.
TEST(unwatched_time, is_no_wait_of_a_load_that_was_sampled_all_the_time) {
  made_up process;
  process.main()->kernel = kernel_truth{.core_ns = 1000_ms, .at_ns = 9000_ms};
  sample(process, 0, 1000_ms);
  EXPECT_EQ(rest_of(process).waited_ns, 0u);
}

TEST(unwatched_time, is_waited_without_samples_too) {
  made_up process;
  process.main()->kernel = kernel_truth{.core_ns = 300_ms, .at_ns = 1000_ms};
  const unwatched_time rest = rest_of(process);
  EXPECT_EQ(rest.waited_ns, 700_ms);
  EXPECT_EQ(rest.memory_ns, 0u);
  EXPECT_EQ(rest.other_ns, 300_ms);
}

TEST(unwatched_time, is_the_kernels_for_memory_as_far_as_faults_take_it) {
  for (const std::uint64_t faults : {0, 1'000, 100'000, 900'000}) {
    made_up process;
    process->fault_ns = 1'000;
    process.main()->kernel = kernel_truth{
        .core_ns = 800_ms, .queued_ns = 200_ms, .minor_faults = faults, .at_ns = 1000_ms};
    sample(process, 0, 100_ms);
    const unwatched_time rest = rest_of(process);
    EXPECT_EQ(rest.waited_ns, 0u);
    EXPECT_EQ(rest.memory_ns, std::min<std::uint64_t>(faults * 1'000, 700_ms));
    EXPECT_EQ(rest.other_ns, 900_ms - rest.memory_ns) << "it was ready without a core, too";
  }
}

TEST(a_wait_that_was_not_seen, has_a_place_only_where_samples_tell_it_from_computing) {
  for (const bool is_sampled : {false, true}) {
    made_up process;
    process->sample_ns = is_sampled ? 1_ms : 0;
    process.main()->kernel = kernel_truth{.core_ns = 300_ms, .at_ns = 1000_ms};
    const std::vector<finding> found = findings_of(view_of(process.done(1000_ms)));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].kind, finding_kind::unseen);
    EXPECT_EQ(found[0].evidence.size(), is_sampled ? 2u : 1u);
  }
}

}  // namespace
}  // namespace overture::watch::unwatched_test
