// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include <string>

#include "made_up.hpp"
#include "watch/findings/finding.hpp"

namespace overture::watch::frames_test {
namespace {

// A menu waits for the player, and a thread that shows frames while others load waits for nothing.
TEST(frames, leave_frames_alone_that_hold_no_file_up) {
  made_up process;
  made_up_thread loader = process.thread("loader", 0);
  process.main().open(process.name("/data/menu"), 10_ms, 1_us);
  for (unsigned i = 0; i < 100; ++i) {
    process.main().add(event_kind::frame, 20_ms + i * 16_ms, 15_ms);
    loader.open(process.name("/data/" + std::to_string(i)), 20_ms + i * 16_ms, 1_us);
  }
  process.main().open(process.name("/data/level"), 1900_ms, 1_us);
  EXPECT_TRUE(findings_of(view_of(process.done(2000_ms))).empty());
}

// Its files are in one archive, which it opened before.
TEST(frames, between_reads_of_an_archive_hold_the_load_up) {
  made_up process;
  const std::uint32_t archive = process.name("/data/all.zip");
  process.main().open(archive, 1_ms, 1_us);
  for (unsigned i = 0; i < 10; ++i) {
    process.main().read(archive, 20_ms + i * 40_ms, 1_ms, i * 65536, 65536);
    process.main().add(event_kind::frame, 30_ms + i * 40_ms, 15_ms);
  }
  const std::vector<finding> found = findings_of(view_of(process.done(2000_ms)));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().kind, finding_kind::frames);
  EXPECT_EQ(found.front().ns, 9 * 15_ms) << "the last one has no file after it";
}

}  // namespace
}  // namespace overture::watch::frames_test
