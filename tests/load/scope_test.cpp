// SPDX-License-Identifier: Zlib
//
// load_scope: admission, progress, and the threads of callbacks.
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "load/load_rig.hpp"
#include "overture/sync/barricade.hpp"
#include "overture/sync/countdown.hpp"
#include "support/table_writer.hpp"
#include "support/zip_writer.hpp"

namespace overture::scope_test {
namespace {

using namespace std::chrono_literals;
using test::add_files;
using test::counting_sink;
using test::fake_os;
using test::finish;
using test::load_rig;
using test::os_call;
using test::outcomes;

TEST(load, loads_and_hashes_a_file_with_two_paths_once) {
  const std::vector<table_file> lumps{{.name = "MAP01"},
                                      {.name = "THINGS", .data = "first"},
                                      {.name = "MAP02"},
                                      {.name = "THINGS", .data = "second"}};
  fake_os os;
  os.add_file("/maps.wad", write_table(mount_format::wad, lumps));
  load_rig rig(os);
  rig.mount({"/maps.wad"});
  counting_sink sink;
  load_scope scope(rig.files, rig.reads, rig.jobs, {.sink = &sink});
  ASSERT_TRUE(scope.start());
  EXPECT_EQ(scope.progress().files_total, 4u);
  finish(scope);
  EXPECT_EQ(scope.progress().files_done, 4u);
  EXPECT_EQ(outcomes(rig, scope),
            (std::map<std::string, std::string>{{"MAP01", "ok"},
                                                {"MAP02", "ok"},
                                                {"maps/MAP01/THINGS", "ok"},
                                                {"maps/MAP02/THINGS", "ok"}}));
  EXPECT_EQ(scope.summary().files, 4u);
  EXPECT_EQ(scope.summary().bytes, 11u);
  EXPECT_EQ(scope.summary().cancelled, 0u);
  EXPECT_EQ(sink.calls_, 4);
  const result<entry_index> plain = rig.files.find({"THINGS", {hash64("THINGS")}});
  ASSERT_TRUE(plain);
  EXPECT_FALSE(sink.entries_.contains(*plain));
  EXPECT_TRUE(sink.entries_.contains(rig.files.same_file(*plain)));
}

TEST(load, needs_a_frozen_tree_and_starts_once) {
  fake_os os;
  add_files(os, 1, 10);
  load_rig rig(os);
  ASSERT_TRUE(rig.files.mount("/game"));
  load_scope early(rig.files, rig.reads, rig.jobs);
  ASSERT_FALSE(early.start());
  ASSERT_TRUE(rig.files.freeze());
  ASSERT_TRUE(early.start());
  finish(early);
  ASSERT_FALSE(early.start());
  EXPECT_EQ(early.start().error().code, errc::invalid);
}

TEST(load, finishes_an_empty_tree_at_once) {
  fake_os os;
  os.add_folder("/game");
  load_rig rig(os);
  rig.mount({"/game"});
  load_scope scope(rig.files, rig.reads, rig.jobs);
  ASSERT_TRUE(scope.start());
  EXPECT_TRUE(scope.wait_for(0ns));
  EXPECT_EQ(scope.progress().fraction, 1.0);
  EXPECT_EQ(scope.summary().files, 0u);
}

TEST(load, computes_the_same_hash_on_any_number_of_threads) {
  std::set<std::uint64_t> hashes;
  for (const unsigned workers : {0u, 1u, 7u}) {
    fake_os os;
    add_files(os, 100, 1000);
    load_rig rig(os, {.workers = workers, .io_threads = workers + 1});
    rig.mount({"/game"});
    load_scope scope(rig.files, rig.reads, rig.jobs);
    ASSERT_TRUE(scope.start());
    finish(scope);
    EXPECT_EQ(scope.summary().files, 100u);
    hashes.insert(scope.summary().hash);
  }
  EXPECT_EQ(hashes.size(), 1u);

  fake_os os;
  add_files(os, 100, 1000);
  os.add_file("/game/7.bin", std::string(999, 'h') + "!");
  load_rig rig(os);
  rig.mount({"/game"});
  load_scope scope(rig.files, rig.reads, rig.jobs);
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_FALSE(hashes.contains(scope.summary().hash));
}

TEST(load, keeps_bytes_in_flight_within_the_budget_and_one_file) {
  for (const bool cached : {false, true}) {
    fake_os os;
    add_files(os, 60, 10'000);
    os.add_file("/game/huge.bin", std::string(500'000, '\0'));
    os.set_cached(cached);
    load_rig rig(os, {.workers = 4, .io_threads = 4});
    rig.mount({"/game"});
    load_scope scope(rig.files, rig.reads, rig.jobs, {.budget_bytes = 50'000});
    ASSERT_TRUE(scope.start());
    finish(scope);
    EXPECT_EQ(scope.summary().files, 61u);
    EXPECT_LE(scope.summary().in_flight_bytes_max, 50'000u + 500'000u);
    EXPECT_GE(scope.summary().in_flight_bytes_max, 500'000u);
  }
}

TEST(load, loads_one_file_at_a_time_with_a_budget_of_one_byte) {
  fake_os os;
  add_files(os, 30, 1000);
  load_rig rig(os, {.workers = 3});
  rig.mount({"/game"});
  load_scope scope(rig.files, rig.reads, rig.jobs, {.budget_bytes = 1});
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_EQ(scope.summary().files, 30u);
  EXPECT_EQ(scope.summary().in_flight_bytes_max, 1000u);
}

TEST(load, limits_the_files_in_flight) {
  fake_os os;
  add_files(os, 50, 100);
  barricade gate{barricade::raised};
  std::atomic<std::size_t> opened{0};
  load_rig rig(os, {.workers = 2, .io_threads = 2});
  rig.mount({"/game"});
  const std::size_t open_before = os.open_handles();
  os.before_each_call([&](const test::os_call_info& call) {
    if (call.kind == os_call::open_below) ++opened;
    if (call.kind == os_call::close) {
      EXPECT_LE(os.open_handles(), open_before + 5);
    }
    if (call.kind == os_call::read) gate.wait();
  });
  load_scope scope(rig.files, rig.reads, rig.jobs, {.files_in_flight_max = 5});
  ASSERT_TRUE(scope.start());
  EXPECT_FALSE(scope.wait_for(1ms));
  EXPECT_LE(opened, 5u);
  gate.lower();
  finish(scope);
  EXPECT_EQ(scope.summary().files, 50u);
  EXPECT_EQ(opened, 50u);
}

TEST(load, tells_bytes_from_the_disk_from_those_of_the_page_cache) {
  for (const bool cached : {false, true}) {
    fake_os os;
    add_files(os, 20, 500);
    os.set_cached(cached);
    load_rig rig(os);
    rig.mount({"/game"});
    load_scope scope(rig.files, rig.reads, rig.jobs);
    ASSERT_TRUE(scope.start());
    finish(scope);
    const read_summary reads = scope.summary().reads;
    EXPECT_EQ(reads.disk_bytes, cached ? 0u : 10'000u);
    EXPECT_EQ(reads.cached_bytes, cached ? 10'000u : 0u);
    EXPECT_EQ(reads.device_ns > 0, !cached);
    EXPECT_EQ(reads.p99_ns > 0, !cached);
    EXPECT_LE(reads.median_ns, reads.p99_ns);
    scope.for_each_file([&](const loaded_file& file) {
      EXPECT_EQ(file.disk_bytes, cached ? 0u : 500u);
      EXPECT_EQ(file.cached_bytes, cached ? 500u : 0u);
      EXPECT_EQ(file.device_ns > 0, !cached);
    });
  }
}

// A disk that takes longer than everything else does not make the threads work.
TEST(load, never_works_longer_than_its_threads_were_there) {
  fake_os os;
  add_files(os, 40, 500);
  os.before_each_call([](const test::os_call_info& call) {
    if (call.kind != os_call::read) return;
    const std::uint64_t until_ns = now_ns() + 1'000'000;
    while (now_ns() < until_ns) std::this_thread::yield();
  });
  load_rig rig(os, {.workers = 1, .io_threads = 8});
  rig.mount({"/game"});
  load_scope scope(rig.files, rig.reads, rig.jobs);
  ASSERT_TRUE(scope.start());
  finish(scope);
  const load_summary sum = scope.summary();
  std::uint64_t work_ns = 0;
  for (const stage_summary& stage : sum.stages) work_ns += stage.ns;
  EXPECT_LE(work_ns, 2 * sum.ns);
}

TEST(load, measures_progress_by_bytes) {
  fake_os os;
  zip_writer zip;
  zip.add({.name = "large", .data = std::string(10'000'000, 'x')});
  zip.add({.name = "small", .data = "x"});
  os.add_file("/game.zip", zip.bytes());
  load_rig rig(os, {.workers = 0, .io_threads = 1});
  rig.mount({"/game.zip"});
  struct sink_type final : asset_sink {
    load_scope* scope = nullptr;
    std::vector<std::size_t> sizes;
    double after_first = 0;
    result<void> finalize(entry_index, decoded_asset&, std::span<const std::byte> bytes) override {
      sizes.push_back(bytes.size());
      after_first = scope->progress().fraction;
      return {};
    }
    [[nodiscard]] bool one_thread() const noexcept override { return true; }
  } sink;
  load_scope scope(rig.files, rig.reads, rig.jobs, {.sink = &sink});
  sink.scope = &scope;
  ASSERT_TRUE(scope.start());
  finish(scope);
  ASSERT_EQ(sink.sizes.size(), 2u);
  if (sink.sizes[0] == 1) {
    EXPECT_LT(sink.after_first, 0.1);
  } else {
    EXPECT_GT(sink.after_first, 0.9);
  }
}

TEST(load, never_moves_progress_back) {
  fake_os os;
  add_files(os, 300, 500);
  load_rig rig(os);
  rig.mount({"/game"});
  load_scope scope(rig.files, rig.reads, rig.jobs);
  EXPECT_EQ(scope.progress().files_done, 0u);
  ASSERT_TRUE(scope.start());
  load_progress last;
  while (!scope.wait_for(10us)) {
    const load_progress now = scope.progress();
    EXPECT_GE(now.fraction, last.fraction);
    EXPECT_GE(now.bytes_done, last.bytes_done);
    EXPECT_EQ(now.files_total, 300u);
    last = now;
  }
  EXPECT_EQ(scope.progress().files_done, 300u);
  EXPECT_EQ(scope.progress().bytes_done, 150'000u);
}

TEST(load, gives_every_file_to_the_sink_once_and_takes_its_error) {
  fake_os os;
  add_files(os, 40, 100);
  load_rig rig(os);
  rig.mount({"/game"});
  counting_sink sink;
  sink.broken_ = 3;
  load_scope scope(rig.files, rig.reads, rig.jobs, {.sink = &sink});
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_EQ(sink.calls_, 40);
  EXPECT_EQ(sink.entries_.size(), 40u);
  EXPECT_EQ(sink.bytes_, 4000u);
  EXPECT_EQ(scope.summary().failed, 1u);
  EXPECT_EQ(outcomes(rig, scope)[std::string(rig.files.entry(3).path)], "finalize: unsupported");
}

TEST(load, calls_a_one_thread_sink_on_that_thread_only) {
  fake_os os;
  add_files(os, 40, 100);
  load_rig rig(os, {.workers = 3});
  rig.mount({"/game"});
  counting_sink sink;
  sink.one_thread_ = true;
  load_scope scope(rig.files, rig.reads, rig.jobs, {.files_in_flight_max = 4, .sink = &sink});
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_EQ(sink.calls_, 40);
  EXPECT_EQ(sink.threads_, (std::set<std::thread::id>{std::this_thread::get_id()}));
  EXPECT_EQ(scope.summary().files, 40u);
}

TEST(load, finalizes_at_least_one_file_in_each_pump) {
  fake_os os;
  add_files(os, 10, 100);
  load_rig rig(os, {.workers = 2});
  rig.mount({"/game"});
  counting_sink sink;
  sink.one_thread_ = true;
  load_scope scope(rig.files, rig.reads, rig.jobs, {.sink = &sink});
  ASSERT_TRUE(scope.start());
  std::size_t pumped = scope.pump(0ns);
  const std::uint64_t before_first_frame = rig.reads.stats().before_first_frame;
  read_request late{};
  countdown left(1);
  late.counter = &left;
  rig.reads.submit({&late, 1});  // of no existing file
  rig.reads.wait(left);
  EXPECT_EQ(rig.reads.stats().before_first_frame, before_first_frame);
  while (!scope.done()) {
    const std::size_t count = scope.pump(0ns);
    EXPECT_LE(count, 1u);
    pumped += count;
    std::this_thread::yield();
  }
  EXPECT_EQ(pumped, 10u);
}

TEST(load, returns_from_wait_for_when_the_time_is_up) {
  // Each file takes longer than a loader's time slice.
  class slow_sink : public asset_sink {
   public:
    result<void> finalize(entry_index, decoded_asset&, std::span<const std::byte>) override {
      const std::uint64_t end_ns = now_ns() + 2'000'000;
      while (now_ns() < end_ns) {
      }
      return {};
    }
  };
  fake_os os;
  add_files(os, 20, 10);
  load_rig rig(os, {.workers = 0});
  rig.mount({"/game"});
  slow_sink sink;
  load_scope scope(rig.files, rig.reads, rig.jobs, {.sink = &sink});
  ASSERT_TRUE(scope.start());
  int waits = 1;
  while (!scope.wait_for(1ns)) ++waits;
  EXPECT_GE(waits, 20);
}

TEST(load, runs_beside_another_load) {
  fake_os os;
  add_files(os, 100, 1000);
  load_rig rig(os, {.workers = 2});
  rig.mount({"/game"});
  load_scope one(rig.files, rig.reads, rig.jobs);
  load_scope two(rig.files, rig.reads, rig.jobs);
  ASSERT_TRUE(one.start());
  ASSERT_TRUE(two.start());
  two.cancel();
  finish(one);
  finish(two);
  EXPECT_EQ(one.summary().files, 100u);
  EXPECT_EQ(two.summary().files + two.summary().cancelled, 100u);
}

TEST(load, a_sink_that_throws_fails_the_file_and_not_the_others) {
  class throwing_sink final : public asset_sink {
   public:
    result<void> finalize(entry_index entry, decoded_asset&, std::span<const std::byte>) override {
      if (entry == 1) throw std::runtime_error("the game is not ready for it");
      return {};
    }
  } sink;
  fake_os os;
  add_files(os, 3, 10);
  load_rig rig(os);
  rig.mount({"/game"});
  load_scope scope(rig.files, rig.reads, rig.jobs, {.sink = &sink});
  ASSERT_TRUE(scope.start());
  finish(scope);
  const auto seen = outcomes(rig, scope);
  EXPECT_EQ(seen.at("0.bin"), "ok");
  EXPECT_EQ(seen.at("1.bin"), "finalize: threw");
  EXPECT_EQ(seen.at("2.bin"), "ok");

  int visited = 0;
  const auto all = scope.for_each_file([&](const loaded_file&) {
    if (++visited == 2) throw 3;
  });
  EXPECT_EQ(all.error().code, errc::threw);
  EXPECT_EQ(visited, 2);
}

}  // namespace
}  // namespace overture::scope_test
