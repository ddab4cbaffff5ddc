// SPDX-License-Identifier: Zlib
//
// load_scope: cancelling a load, and ending it early.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "load/load_rig.hpp"
#include "overture/sync/barricade.hpp"
#include "support/zip_writer.hpp"

namespace overture::scope_cancel_test {
namespace {

using namespace std::chrono_literals;
using test::add_files;
using test::counting_sink;
using test::fake_os;
using test::finish;
using test::load_rig;
using test::os_call;

TEST(load, ends_soon_after_cancel_and_counts_every_file) {
  fake_os os;
  add_files(os, 200, 100);
  barricade gate{barricade::raised};
  std::atomic<int> reads_begun{0};
  load_rig rig(os, {.workers = 2, .io_threads = 1});
  rig.mount({"/game"});
  os.before_each_call([&](const test::os_call_info& call) {
    if (call.kind != os_call::read) return;
    ++reads_begun;
    gate.wait();
  });
  load_scope scope(rig.files, rig.reads, rig.jobs, {.files_in_flight_max = 20});
  ASSERT_TRUE(scope.start());
  while (reads_begun == 0) (void)scope.wait_for(100us);
  scope.cancel();
  EXPECT_FALSE(scope.wait_for(1ms)) << "a read in flight keeps its buffer until it completes";
  gate.lower();
  finish(scope);
  const load_summary sum = scope.summary();
  EXPECT_EQ(sum.files + sum.failed + sum.cancelled, 200u);
  EXPECT_GE(sum.cancelled, 180u);
  EXPECT_EQ(sum.failed, 0u);
  EXPECT_LT(scope.progress().fraction, 1.0);
}

TEST(load, begins_nothing_if_it_was_cancelled_before) {
  fake_os os;
  add_files(os, 20, 100);
  load_rig rig(os, {.workers = 1});
  rig.mount({"/game"});
  load_scope scope(rig.files, rig.reads, rig.jobs, {});
  scope.cancel();
  EXPECT_TRUE(scope.done());
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_EQ(scope.summary().cancelled, 20u);
  EXPECT_EQ(scope.summary().files, 0u);
}

TEST(load, calls_nothing_back_after_its_destructor) {
  fake_os os;
  add_files(os, 200, 100);
  load_rig rig(os, {.workers = 2});
  rig.mount({"/game"});
  for (int round = 0; round < 20; ++round) {
    counting_sink sink;
    {
      load_scope scope(rig.files, rig.reads, rig.jobs, {.sink = &sink});
      ASSERT_TRUE(scope.start());
      (void)scope.wait_for(std::chrono::microseconds(round * 20));
    }
    EXPECT_LE(sink.calls_,
              200);  // the sink is destroyed here: a late call would be a use after free
  }
  EXPECT_EQ(os.misuses(), 0u);
}

TEST(load, ends_though_the_queue_is_suspended_if_a_read_comes_after_the_cancel) {
  fake_os os;
  add_files(os, 1, 100);
  load_rig rig(os, {.workers = 1});
  rig.mount({"/game"});
  rig.reads.suspend();
  load_scope scope(rig.files, rig.reads, rig.jobs);
  // The loader has looked whether the load is cancelled, and has not submitted yet.
  os.at_call(os_call::read_cached, 0, [&scope] { scope.cancel(); });
  ASSERT_TRUE(scope.start());
  EXPECT_TRUE(scope.wait_for(test::hang));
  rig.reads.resume();
  EXPECT_EQ(scope.summary().cancelled, 1u);
}

TEST(load, ends_though_the_queue_is_suspended_if_a_header_is_read_again_after_the_cancel) {
  zip_writer zip;
  zip.add({.name = "a", .data = "hello", .local_extra_bytes = 60'000});
  fake_os os;
  os.add_file("/game.zip", zip.bytes());
  os.set_cached(true);
  load_rig rig(os, {.workers = 1});
  rig.mount({"/game.zip"});
  rig.reads.suspend();
  load_scope scope(rig.files, rig.reads, rig.jobs);
  os.at_call(os_call::read_cached, 1, [&] {  // of the whole header
    scope.cancel();
    os.set_cached(false);
  });
  ASSERT_TRUE(scope.start());
  EXPECT_TRUE(scope.wait_for(test::hang));
  rig.reads.resume();
  EXPECT_EQ(scope.summary().cancelled, 1u);
}

}  // namespace
}  // namespace overture::scope_cancel_test
