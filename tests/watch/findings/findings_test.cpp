// SPDX-License-Identifier: Zlib
#include "watch/findings/finding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "findings/flawed_loads.hpp"
#include "made_up.hpp"

namespace overture::watch {
namespace {

using testing::HasSubstr;

std::vector<finding> found_in(made_up& process, std::uint64_t end_ns) {
  return findings_of(view_of(process.done(end_ns)));
}

TEST(findings, name_the_cause_first_with_its_time) {
  for (const flawed_load& each : flawed_loads) {
    made_up process;
    each.make(process);
    const std::vector<finding> found = found_in(process, load_ns);
    ASSERT_FALSE(found.empty()) << each.name;
    EXPECT_STREQ(to_string(found[0].kind), to_string(each.first)) << each.name;
    EXPECT_EQ(found[0].ns, each.ns) << each.name;
    std::string evidence;
    for (const std::string& sentence : found[0].evidence) evidence += sentence + ' ';
    EXPECT_THAT(evidence, HasSubstr(each.evidence)) << each.name;
    EXPECT_FALSE(found[0].advice.empty()) << each.name;
  }
}

TEST(findings, have_every_kind_in_a_load_with_one_flaw) {
  for (int i = 0; i <= static_cast<int>(finding_kind::before_main); ++i) {
    EXPECT_TRUE(std::any_of(std::begin(flawed_loads), std::end(flawed_loads),
                            [&](const flawed_load& of) { return static_cast<int>(of.first) == i; }))
        << to_string(static_cast<finding_kind>(i));
  }
}

TEST(findings, leave_out_what_is_not_felt) {
  made_up process;
  process.main().zone(zone_number::inflate, 100_ms, 9_ms);
  EXPECT_TRUE(found_in(process, 500_ms).empty());
  made_up long_load;
  long_load.main().zone(zone_number::inflate, 100_ms, 50_ms);
  EXPECT_TRUE(found_in(long_load, 6000_ms).empty()) << "less than a hundredth";
}

// It had no core for so long.
TEST(findings, leave_out_slow_reads_of_a_thread_that_read_nothing_from_the_disk) {
  made_up process;
  process.main()->kernel = kernel_truth{.read_bytes = std::uint64_t{2} << 20};
  made_up_thread worker = process.thread("worker", 0);
  worker->kernel = kernel_truth{};
  worker.read(process.name("/data/a.png"), 100_ms, 500_ms, 0, 100'000);
  EXPECT_TRUE(found_in(process, 2000_ms).empty());
}

// As one that plays music may be: the load would not be shorter without it.
TEST(findings, leave_out_what_is_printed_by_a_thread_that_loads_nothing) {
  made_up process;
  made_up_thread music = process.thread("music", 10_ms);
  for (unsigned i = 0; i < 3'000; ++i) {
    music.add(event_kind::write, 100_ms + i * 200_us, 100_us, process.name(error_name));
  }
  EXPECT_TRUE(found_in(process, 1000_ms).empty());
  music.open(process.name("/data/a.ogg"), 50_ms, 1_us);
  EXPECT_FALSE(found_in(process, 1000_ms).empty());
}

TEST(findings, end_with_the_load) {
  made_up process;
  process.main().open(process.name("/a"), 100_ms, 1_ms);
  process.main().frame(200_ms);
  for (unsigned i = 0; i < 100; ++i) {
    process.main().wait(event_kind::wait_sleep, 300_ms + i * 100_ms, 90_ms, 90_ms, in_game);
  }
  EXPECT_TRUE(found_in(process, 9000_ms).empty()) << "sleeps of a menu";
}

TEST(findings, do_not_take_a_drivers_threads_for_idle_ones) {
  made_up process;
  process->modules.push_back({0x7000'0000, 0x7100'0000, "/usr/lib/dri/swrast_dri.so"});
  made_up_thread driver = process.thread("llvmpipe-0", 0);
  driver->start = 0x7000'1000;
  driver.wait(event_kind::wait_condition, 0, 1900_ms, 0xD0, 0x7000'2000);
  process.main().zone(zone_number::png_read_image, 100_ms, 500_ms);
  const std::vector<finding> found = found_in(process, 2000_ms);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, finding_kind::decodes_on_main);
}

TEST(findings, do_not_blame_what_goes_on_beside_the_main_thread) {
  made_up process;
  made_up_thread music = process.thread("music", 0);
  for (unsigned i = 0; i < 50; ++i) {
    music.zone(zone_number::ov_read, 100_ms + i * 30_ms, 10_ms);
    music.wait(event_kind::wait_sleep, 110_ms + i * 30_ms, 20_ms, 20_ms, in_game);
  }
  process.thread("idle", 0).wait(event_kind::wait_condition, 0, 1900_ms, 0xD0, in_game);
  EXPECT_TRUE(found_in(process, 2000_ms).empty());
}

TEST(findings, name_the_library_that_a_lock_is_hidden_in) {
  made_up process;
  process->modules.push_back({0x7000'0000, 0x7100'0000, "/usr/lib/libspdlog.so.1"});
  process.thread("holder", 0).release(600_ms, 0xA0);
  process.main().wait(event_kind::wait_mutex, 100_ms, 500_ms, 0xA0, 0x7000'1000);
  const std::vector<finding> found = found_in(process, 2000_ms);
  ASSERT_FALSE(found.empty());
  EXPECT_THAT(found[0].what, HasSubstr("inside of libspdlog.so.1"));
  EXPECT_THAT(found[0].advice, HasSubstr("hidden"));
}

// Little for the thread, however long.
TEST(findings, leave_wakes_alone_that_are_few) {
  made_up process;
  for (unsigned i = 0; i < 99; ++i) process.main().wake(i * 20_ms, 1_ms, 0xC0, 1);
  EXPECT_TRUE(found_in(process, 2000_ms).empty());
}

TEST(findings, leave_opens_of_many_files_alone) {
  made_up process;
  for (unsigned i = 0; i < 400; ++i) {
    process.main().open(process.name("/data/" + std::to_string(i % 40)), i * 4_ms, 2_ms);
  }
  EXPECT_TRUE(found_in(process, 2000_ms).empty());
}

TEST(findings, name_threads_of_one_name_that_wake_once) {
  made_up process;
  for (unsigned i = 0; i < 3; ++i) {
    made_up_thread worker = process.thread("worker", 0);
    for (unsigned j = 0; j < 100; ++j) worker.wake(j * 10_ms, (i + 2) * 1_ms, 0xC0, 1);
  }
  const std::vector<finding> found = found_in(process, 2000_ms);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].ns, 400_ms);
  EXPECT_THAT(found[0].what, HasSubstr("thread worker, and of 2 other threads of that name goes"));
}

TEST(findings, leave_out_the_recorders_own_code) {
  made_up process;
  process->sample_ns = 2_ms;
  process->modules.push_back({0x7000'0000, 0x7001'0000, "/usr/lib/liboverture-watch.so"});
  for (unsigned i = 0; i < 300; ++i) {
    process.main()->samples.push_back({100_ms + i * 2_ms, 0x7000'0100});
  }
  const load_view view = view_of(process.done(1000_ms));
  EXPECT_TRUE(findings_of(view).empty());
  EXPECT_THAT(verdict_of(view), HasSubstr("60 % in what watches it"));
}

TEST(findings, say_that_a_database_wants_one_transaction) {
  made_up process;
  process.main().add(event_kind::sync, 100_ms, 300_ms, process.name("/home/a.db-journal"));
  const std::vector<finding> found = found_in(process, 1000_ms);
  ASSERT_FALSE(found.empty());
  EXPECT_THAT(found[0].advice, HasSubstr("one transaction"));
}

TEST(findings, make_names_harmless) {
  made_up process;
  const std::uint32_t name = process.name("/data/a\x1b[31m\nb");
  for (unsigned i = 0; i < 1'000; ++i) process.main().miss(name, 100_ms + i * 200_us, 100_us);
  const std::vector<finding> found = found_in(process, 2000_ms);
  ASSERT_FALSE(found.empty());
  EXPECT_THAT(found[0].evidence[0], HasSubstr("/data/a\\x1b[31m\\x0ab"));
}

TEST(verdict, says_when_the_load_ended_and_what_the_main_thread_did) {
  made_up process;
  process->main_ns = 100_ms;
  process.main().open(process.name("/a"), 150_ms, 50_ms);
  process.main().zone(zone_number::png_read_image, 200_ms, 600_ms);
  process.main().frame(1000_ms);
  EXPECT_EQ(
      verdict_of(view_of(process.done(5000_ms))),
      "The menu came after 1.00 s. The main thread spent 60 % decoding and unpacking, 25 % in "
      "code that is not watched, 10 % before main(). Before its first frame it made 1 "
      "open, 0 look-ups and 0 reads of files.");
}

TEST(verdict, names_files_of_code_that_samples_were_in) {
  made_up process;
  process->sample_ns = 100_ms;
  process->modules.push_back({0x7000'0000, 0x7100'0000, "/usr/lib/libLLVM.so"});
  for (unsigned i = 0; i < 6; ++i) {
    process.main()->samples.push_back({300_ms + i * 100_ms, i < 4 ? 0x7000'1000u : 0x1100u});
  }
  process.main().wait(event_kind::wait_sleep, 0, 300_ms, 0);
  EXPECT_EQ(
      verdict_of(view_of(process.done(1000_ms))),
      "It ran for 1.00 s. The main thread spent 40 % in libLLVM.so, 30 % waiting for a sleep, "
      "20 % in game.");
}

TEST(verdict, names_software_graphics) {
  made_up process;
  made_up_thread driver = process.thread("llvmpipe-1", 0);
  driver->kernel = kernel_truth{.core_ns = 1200_ms};
  process.main().open(process.name("/a"), 150_ms, 50_ms);
  EXPECT_THAT(verdict_of(view_of(process.done(1000_ms))), HasSubstr("It ran for 1.00 s."));
  EXPECT_THAT(
      verdict_of(view_of(process.done(1000_ms))),
      HasSubstr(
          "Graphics were drawn in software, which took other threads 1.20 s in the whole run"));
}

}  // namespace
}  // namespace overture::watch
