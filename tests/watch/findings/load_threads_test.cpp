// SPDX-License-Identifier: Zlib
//
// Threads that drivers begin.
#include "watch/findings/load_threads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_up.hpp"
#include "watch/findings/finding.hpp"

namespace overture::watch::load_threads_test {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t in_driver = 0xA100;
constexpr std::uint64_t in_sound = 0xB100;

made_up with_drivers() {
  made_up process;
  process->modules.push_back({0xA000, 0xB000, "/usr/lib/dri/swrast_dri.so"});
  process->modules.push_back({0xB000, 0xC000, "/usr/lib/libpulse.so.0"});
  return process;
}

TEST(threads_of_drivers, are_told_by_the_code_that_began_them) {
  made_up process = with_drivers();
  made_up_thread draws = process.thread("llvmpipe-0", 0);
  draws->start = in_driver;
  made_up_thread plays = process.thread("threaded-ml", 0);
  plays->start = in_sound;
  made_up_thread loads = process.thread("loader", 0);
  loads->start = 0x1100;
  const watched_process& done = process.done(10_ms);
  EXPECT_TRUE(is_of_graphics_driver(done, done.threads[1]));
  EXPECT_FALSE(is_of_graphics_driver(done, done.threads[2]));
  EXPECT_TRUE(is_of_driver(done, done.threads[2]));
  EXPECT_FALSE(is_of_driver(done, done.threads[3]));
}

TEST(threads_of_drivers, that_the_main_thread_waits_for_count_to_graphics) {
  made_up process = with_drivers();
  made_up_thread draws = process.thread("llvmpipe-0", 0);
  draws->start = in_driver;
  draws.release(700_ms, 0xC0);
  process.main().zone(zone_number::glTexImage2D, 100_ms, 50_ms);
  process.main().wait(event_kind::wait_condition, 200_ms, 500_ms, 0xC0, 0x1200);
  const std::vector<finding> found = findings_of(view_of(process.done(1000_ms)));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().kind, finding_kind::graphics);
  EXPECT_EQ(found.front().ns, 550_ms);
  EXPECT_THAT(found.front().evidence.front(),
              HasSubstr("waiting for its threads (500 ms), glTexImage2D (50.0 ms)"));
  EXPECT_THAT(found.front().evidence.back(), HasSubstr("draws in software"));
}

TEST(verdict, says_that_the_machine_was_busy) {
  made_up process;
  process.main()->kernel = kernel_truth{.core_ns = 400_ms, .queued_ns = 300_ms};
  process.main().open(process.name("/a"), 150_ms, 50_ms);
  EXPECT_THAT(verdict_of(view_of(process.done(1000_ms))),
              HasSubstr("had a core for 400 ms, and was ready without one for 300 ms."));
  for (const kernel_truth& quiet : {kernel_truth{.core_ns = 400_ms, .queued_ns = 30_ms},
                                    kernel_truth{.core_ns = 1_ms, .queued_ns = 2_ms},
                                    kernel_truth{.core_ns = 0_ms, .queued_ns = 0_ms}}) {
    process.main()->kernel = quiet;
    EXPECT_THAT(verdict_of(view_of(process.done(1000_ms))), testing::Not(HasSubstr("busy")));
  }
}

}  // namespace
}  // namespace overture::watch::load_threads_test
