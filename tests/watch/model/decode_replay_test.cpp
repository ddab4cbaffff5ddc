// SPDX-License-Identifier: Zlib
#include "watch/model/decode_replay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "made_up.hpp"

namespace overture::watch {
namespace {

using testing::ElementsAreArray;

struct schedule_row {
  std::vector<std::uint64_t> job_ns;
  unsigned threads;
  std::uint64_t ns;
};
const schedule_row schedule_rows[] = {
    {{}, 4, 0},
    {{10}, 4, 10},
    {{10, 10, 10, 10}, 1, 40},
    {{10, 10, 10, 10}, 2, 20},
    {{10, 10, 10, 10}, 3, 20},
    {{10, 10, 10, 10}, 9, 10},
    {{1, 1, 1, 30}, 2, 31},  // the last one begins when a thread is free
    {{30, 1, 1, 1}, 2, 30},
    {{5, 3, 4}, 0, 12},
};

TEST(decodes_on_threads, take_the_next_one_when_a_thread_is_free) {
  for (const schedule_row& each : schedule_rows) {
    EXPECT_EQ(time_on_threads(each.job_ns, each.threads), each.ns)
        << testing::PrintToString(each.job_ns) << " on " << each.threads;
  }
}

struct jobs_row {
  const char* name;
  std::vector<std::uint64_t> job_ns;
  std::function<void(made_up&)> make;
};

void decode(made_up_thread in, zone_number what, std::uint64_t begin_ms, std::uint64_t ms,
            std::uint16_t more_calls = 0) {
  in.add(event_kind::zone, begin_ms * 1_ms, ms * 1_ms, static_cast<std::uint32_t>(what)).detail =
      more_calls;
}

const jobs_row jobs_rows[] = {
    {"nothing", {}, [](made_up&) {}},
    {"whole images",
     {10_ms, 20_ms},
     [](made_up& of) {
       decode(of.main(), zone_number::png_read_image, 10, 10);
       decode(of.main(), zone_number::png_read_image, 20, 20);
     }},
    {"calls that were put together, each a job",
     {10_ms, 10_ms, 10_ms},
     [](made_up& of) { decode(of.main(), zone_number::uncompress, 10, 30, 2); }},
    {"what is inside of a decode is a part of it",
     {10_ms},
     [](made_up& of) {
       decode(of.main(), zone_number::png_read_image, 10, 10);
       decode(of.main(), zone_number::inflate, 11, 5);
     }},
    {"a stream goes on over reads and ends with the next file",
     {30_ms, 5_ms},
     [](made_up& of) {
       const std::uint32_t file = of.name("/data/a.gz");
       decode(of.main(), zone_number::inflate, 10, 10);
       of.main().read(file, 20_ms, 1_ms, 0, 100);
       decode(of.main(), zone_number::inflate, 30, 20);
       of.main().open(file, 50_ms, 1_ms);
       decode(of.main(), zone_number::inflate, 60, 5);
     }},
    {"a miss ends no stream",
     {30_ms},
     [](made_up& of) {
       decode(of.main(), zone_number::inflate, 10, 10);
       of.main().miss(of.name("/data/none"), 20_ms, 1_ms);
       decode(of.main(), zone_number::inflate, 30, 20);
     }},
    {"a stream that begins, of several functions, and is handed to the driver",
     {21_ms, 10_ms},
     [](made_up& of) {
       decode(of.main(), zone_number::jpeg_read_header, 10, 1);
       decode(of.main(), zone_number::jpeg_read_scanlines, 20, 20);
       of.main().zone(zone_number::glTexImage2D, 45_ms, 1_ms);
       decode(of.main(), zone_number::jpeg_read_scanlines, 50, 10);
     }},
    {"a read of PhysicsFS ends no stream, an open does",
     {8_ms, 4_ms},
     [](made_up& of) {
       decode(of.main(), zone_number::inflate, 10, 4);
       of.main().zone(zone_number::PHYSFS_readBytes, 20_ms, 1_ms);
       decode(of.main(), zone_number::inflate, 30, 4);
       of.main().zone(zone_number::PHYSFS_openRead, 40_ms, 1_ms);
       decode(of.main(), zone_number::inflate, 50, 4);
     }},
    {"a worker's while the main thread sleeps, and only then",
     {30_ms},
     [](made_up& of) {
       made_up_thread worker = of.thread("worker", 0);
       decode(worker, zone_number::png_read_image, 10, 50);
       of.main().wait(event_kind::wait_condition, 30_ms, 60_ms, 0xA);
     }},
    {"not what two threads decode at a time",
     {10_ms},
     [](made_up& of) {
       decode(of.thread("worker", 0), zone_number::png_read_image, 20, 50);
       decode(of.main(), zone_number::png_read_image, 10, 40);
     }},
    {"not what goes on after the load",
     {10_ms},
     [](made_up& of) { decode(of.main(), zone_number::png_read_image, 90, 500); }},
};

TEST(lone_decodes, are_those_that_the_load_waited_for) {
  for (const jobs_row& each : jobs_rows) {
    made_up process;
    process.main().open(process.name("/data/first"), 1_ms, 1_ms);
    each.make(process);
    process.main().frame(100_ms);
    const load_view view = view_of(process.done(5000_ms));
    ASSERT_EQ(view.end_ns(), 100_ms) << each.name;
    EXPECT_THAT(lone_decodes_of(view).job_ns, ElementsAreArray(each.job_ns)) << each.name;
  }
}

TEST(lone_decodes, of_very_many_short_calls_are_few_jobs) {
  made_up process;
  decode(process.main(), zone_number::uncompress, 10, 64, 63'999);
  decode(process.main(), zone_number::uncompress, 80, 10);
  const load_view view = view_of(process.done(1000_ms));
  const lone_decodes alone = lone_decodes_of(view);
  EXPECT_EQ(alone.job_ns.size(), 65u);
  EXPECT_EQ(alone.count, 64'001u);
  EXPECT_EQ(alone.ns, 74_ms);
  EXPECT_EQ(alone.longest_ns, 10_ms);
}

}  // namespace
}  // namespace overture::watch
