// SPDX-License-Identifier: Zlib
//
// Files that are larger than the budget and that no one needs as a whole.
#include "load/pieces.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "load/load_rig.hpp"
#include "support/zip_writer.hpp"

namespace overture::pieces_test {
namespace {

using test::fake_os;
using test::finish;
using test::load_rig;
using test::os_call;

constexpr std::size_t large_bytes = 12u << 20;
constexpr std::uint64_t budget = 2u << 20;

std::string lines(std::size_t bytes) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) text += "line " + std::to_string(i * 37 % 1000) + "\n";
  text.resize(bytes);
  return text;
}

// What no decoder accepts.
std::string binary(std::size_t bytes) {
  std::string content = lines(bytes);
  content[0] = '\0';
  return content;
}

std::string archive_of(const zip_entry& entry) {
  zip_writer zip;
  zip.add(entry);
  return zip.bytes();
}

struct in_pieces : ::testing::Test {
  struct seen {
    std::string outcome;
    std::uint64_t bytes = 0;
    std::uint64_t peak = 0;       // of the ledger
    std::uint64_t allocated = 0;  // at most
    std::uint64_t hash = 0;
  };
  static seen load(const std::string& archive, std::uint64_t budget_bytes = budget,
                   asset_sink* sink = nullptr, std::chrono::nanoseconds time_max = {}) {
    fake_os os;
    os.set_cached(true);
    os.add_file("/game.zip", archive);
    tracking_allocator memory;
    load_rig rig(os, {.workers = 1, .memory = &memory});
    rig.mount({"/game.zip"});
    load_scope scope(
        rig.files, rig.reads, rig.jobs,
        {.budget_bytes = budget_bytes, .file_time_max = time_max, .sink = sink, .memory = &memory});
    EXPECT_TRUE(scope.start());
    finish(scope);
    seen all;
    scope.for_each_file([&](const loaded_file& file) { all.outcome = test::outcome_of(file); });
    const load_summary summary = scope.summary();
    all.bytes = summary.bytes;
    all.peak = summary.in_flight_bytes_max;
    all.allocated = memory.total().peak_bytes;
    all.hash = summary.hash;
    return all;
  }
  static constexpr std::uint64_t enough = 1u << 30;
};

TEST_F(in_pieces, a_file_is_checked_within_the_budget) {
  for (const std::uint16_t method : {zip_stored, zip_deflated}) {
    const std::string archive =
        archive_of({.name = "large.bin", .data = binary(large_bytes), .method = method});
    const seen pieces = load(archive);
    EXPECT_EQ(pieces.outcome, "ok");
    EXPECT_EQ(pieces.bytes, large_bytes);
    EXPECT_LE(pieces.peak, budget);
    EXPECT_LT(pieces.allocated, large_bytes / 2);
    const seen all = load(archive, enough);
    EXPECT_GT(all.peak, large_bytes - 1);
    EXPECT_EQ(all.hash, pieces.hash);
  }
}

TEST_F(in_pieces, a_damaged_file_fails_as_it_does_whole) {
  for (const std::uint16_t method : {zip_stored, zip_deflated}) {
    std::string archive =
        archive_of({.name = "large.bin", .data = binary(large_bytes), .method = method});
    for (int i = 0; i < 40; ++i) archive[50'000 + static_cast<std::size_t>(i)] ^= 0x55;
    EXPECT_EQ(load(archive, enough).outcome, "unpack: corrupt");
    EXPECT_EQ(load(archive).outcome, "unpack: corrupt");
  }
}

TEST_F(in_pieces, a_file_that_a_decoder_accepts_is_still_decoded) {
  const seen text =
      load(archive_of({.name = "large.txt", .data = lines(large_bytes), .method = zip_deflated}));
  EXPECT_EQ(text.outcome, "ok");
  EXPECT_GT(text.peak, large_bytes - 1);
}

TEST_F(in_pieces, a_file_for_a_sink_is_not_checked) {
  struct discarding final : asset_sink {
    result<void> finalize(entry_index, decoded_asset&, std::span<const std::byte> bytes) override {
      seen_bytes = bytes.size();
      return {};
    }
    std::size_t seen_bytes = 0;
  } sink;
  const std::string archive =
      archive_of({.name = "large.bin", .data = binary(large_bytes), .method = zip_deflated});
  EXPECT_EQ(load(archive, budget, &sink).outcome, "ok");
  EXPECT_EQ(sink.seen_bytes, large_bytes);
}

TEST_F(in_pieces, a_file_that_takes_too_long_fails_between_pieces_and_between_stages) {
  for (const std::size_t bytes : {large_bytes, std::size_t{100'000}}) {
    const std::string archive =
        archive_of({.name = "file.bin", .data = binary(bytes), .method = zip_deflated});
    EXPECT_EQ(load(archive, enough, nullptr, std::chrono::nanoseconds(1)).outcome,
              bytes == large_bytes ? "unpack: limit" : "read: limit");
    EXPECT_EQ(load(archive, enough, nullptr, std::chrono::hours(10)).outcome, "ok");
  }
}

TEST_F(in_pieces, a_large_file_whose_time_is_limited_is_checked_in_pieces) {
  const std::string archive =
      archive_of({.name = "file.bin", .data = binary(large_bytes), .method = zip_deflated});
  EXPECT_GT(load(archive, enough).allocated, large_bytes);
  EXPECT_LT(load(archive, enough, nullptr, std::chrono::hours(10)).allocated, large_bytes / 2);
}

TEST(load, refuses_a_negative_time) {
  fake_os os;
  os.add_file("/game/a.txt", "a");
  load_rig rig(os);
  ASSERT_TRUE(rig.files.mount("/game"));
  ASSERT_TRUE(rig.files.freeze());
  load_scope load(rig.files, rig.reads, rig.jobs, {.file_time_max = std::chrono::seconds(-1)});
  const result<void> started = load.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, errc::invalid);
}

TEST_F(in_pieces, a_cancelled_file_ends_though_the_queue_is_suspended) {
  fake_os os;  // nothing is cached: pieces are read ahead through the queue
  os.add_file("/game.zip", archive_of({.name = "file.bin", .data = binary(large_bytes)}));
  load_rig rig(os, {.workers = 1});
  rig.mount({"/game.zip"});
  rig.reads.suspend();
  load_scope scope(rig.files, rig.reads, rig.jobs, {.budget_bytes = budget});
  // Before the first piece goes to the queue.
  os.at_call(os_call::read_cached, 0, [&scope] { scope.cancel(); });
  ASSERT_TRUE(scope.start());
  EXPECT_TRUE(scope.wait_for(test::hang));
  rig.reads.resume();
  EXPECT_EQ(scope.summary().cancelled, 1u);
}

TEST_F(in_pieces, a_file_that_is_not_cached_is_read_ahead) {
  fake_os os;
  os.add_file("/game.zip", archive_of({.name = "file.bin", .data = binary(large_bytes)}));
  load_rig rig(os, {.workers = 1});
  rig.mount({"/game.zip"});
  load_scope scope(rig.files, rig.reads, rig.jobs, {.budget_bytes = budget});
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_EQ(scope.summary().bytes, large_bytes);
  EXPECT_LE(scope.summary().in_flight_bytes_max, budget);
}

}  // namespace
}  // namespace overture::pieces_test
