// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include <vector>

#include "made_up.hpp"
#include "watch/findings/finding.hpp"

namespace overture::watch::spins_test {
namespace {

// A tight loop of a thread that works alone, or of more instructions.
TEST(spins, leave_tight_loops_of_work_alone) {
  for (const unsigned loop_bytes : {4u, 5u, 40u}) {
    made_up process;
    process->sample_ns = 1_ms;
    made_up_thread worker = process.thread("worker", 0);
    for (unsigned i = 0; i < 500; ++i) {
      process.main()->samples.push_back(
          {100_ms + i * 1_ms, 0x1100 + (loop_bytes == 40 ? i % 2 * 40 : i % loop_bytes)});
      if (loop_bytes > 4) worker->samples.push_back({100_ms + i * 1_ms, 0x2000 + i * 8});
    }
    for (const finding& each : findings_of(view_of(process.done(2000_ms)))) {
      EXPECT_NE(each.kind, finding_kind::spinning) << loop_bytes;
    }
  }
}

// Beside a thread that spins it works alone.
TEST(spins, leave_tight_loops_alone_that_a_spinning_thread_waits_for) {
  made_up process;
  process->sample_ns = 1_ms;
  made_up_thread worker = process.thread("worker", 0);
  process.main().add(event_kind::spin, 100_ms, 500_ms, static_cast<std::uint32_t>(spin_call::clock),
                     1'000'000);
  for (unsigned i = 0; i < 500; ++i) {
    process.main()->samples.push_back({100_ms + i * 1_ms, 0x2000 + i * 8});
    worker->samples.push_back({100_ms + i * 1_ms, 0x1100 + i % 3 * 5});
  }
  const std::vector<finding> found = findings_of(view_of(process.done(2000_ms)));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].what, "On a core, the main thread spins until something changes.");
}

}  // namespace
}  // namespace overture::watch::spins_test
