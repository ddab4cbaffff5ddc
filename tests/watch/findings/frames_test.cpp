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

}  // namespace
}  // namespace overture::watch::frames_test
