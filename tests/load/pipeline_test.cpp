// SPDX-License-Identifier: Zlib
//
// One file's way through the stages, intact or damaged.
#include <gtest/gtest.h>
#include <spng.h>

#include <atomic>
#include <cerrno>
#include <string>

#include "load/load_rig.hpp"
#include "support/failing_allocator.hpp"
#include "support/zip_writer.hpp"

namespace overture::pipeline_test {
namespace {

using test::fake_os;
using test::finish;
using test::load_rig;
using test::os_call;
using test::outcomes;

std::string repeated(std::string_view text, std::size_t bytes) {
  std::string all;
  while (all.size() < bytes) all += text;
  all.resize(bytes);
  return all;
}

// base.zip, and the folder /mod, which overrides one of its files.
void add_game(fake_os& os) {
  zip_writer base;
  base.add({.name = "readme.txt", .data = "hello"});
  base.add({.name = "maps/one.bin", .data = repeated("map\x80", 50'000), .method = zip_deflated});
  base.add({.name = "maps/two.bin", .data = repeated("other\x80", 70'000), .method = zip_deflated});
  os.add_file("/base.zip", base.bytes());
  os.add_file("/mod/readme.txt", "replaced\n");
  os.add_file("/mod/empty.bin", "");
  os.add_file("/mod/new.bin", repeated("\x80", 10'000));
}

TEST(pipeline, loads_archives_and_folders_together) {
  for (const bool cached : {false, true}) {
    fake_os os;
    add_game(os);
    os.set_cached(cached);
    load_rig rig(os);
    rig.mount({"/base.zip", "/mod"});
    load_scope scope(rig.files, rig.reads, rig.jobs);
    ASSERT_TRUE(scope.start());
    finish(scope);

    const load_summary sum = scope.summary();
    EXPECT_EQ(sum.files, 5u);
    EXPECT_EQ(sum.failed, 0u);
    EXPECT_EQ(sum.bytes, 9u + 50'000 + 70'000 + 10'000);
    EXPECT_EQ(sum.decoded_bytes, 9u) << "the text";
    EXPECT_EQ(scope.progress().fraction, 1.0);
    EXPECT_EQ(rig.reads.stats().requests, cached ? 0u : 4u) << "an empty file needs no read";
  }
}

TEST(pipeline, marks_the_reads_that_its_own_threads_did) {
  for (const bool cached : {false, true}) {
    fake_os os;
    add_game(os);
    os.set_cached(cached);
    load_rig rig(os, {.workers = 0});
    rig.mount({"/base.zip", "/mod"});
    timeline times;
    ASSERT_TRUE(times.attach_thread("main"));
    load_scope scope(rig.files, rig.reads, rig.jobs);
    ASSERT_TRUE(scope.start());
    finish(scope);
    times.detach_thread();

    unsigned own = 0;
    times.track(0).for_each_event([&](const trace_event& event) {
      constexpr std::uint16_t by_itself = request_flags::cached | request_flags::sync;
      if (event.kind != event_kind::zone) return;
      EXPECT_TRUE(event.flags == 0 || std::string_view(event.name) == to_string(load_stage::read));
      if (event.flags == by_itself) ++own;
    });
    EXPECT_EQ(own, cached ? 4u : 0u);
  }
}

// Splits its work into one piece per byte.
class splitting_decoder final : public decoder {
 public:
  const char* name() const noexcept override { return "splitting"; }
  bool accepts(std::string_view path, std::span<const std::byte>) const noexcept override {
    return path.ends_with(".bin");
  }
  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner& workers) const noexcept override {
    result<decoded_asset> made = decoded_asset::make(asset_kind::texture, bytes.size(), memory);
    if (!made) return made;
    workers.run(bytes.size(), [&](std::size_t i) noexcept {
      made->bytes()[i] = static_cast<std::byte>(std::to_integer<unsigned>(bytes[i]) + 1);
    });
    return made;
  }
};

// Checks that every piece was done exactly once.
class checking_sink final : public asset_sink {
 public:
  result<void> finalize(entry_index, decoded_asset& asset,
                        std::span<const std::byte> bytes) override {
    for (std::size_t i = 0; i < asset.bytes().size(); ++i) {
      if (std::to_integer<unsigned>(asset.bytes()[i]) != std::to_integer<unsigned>(bytes[i]) + 1) {
        return fail(errc::corrupt, "a piece is missing");
      }
    }
    pieces += asset.bytes().size();
    return {};
  }
  std::atomic<std::size_t> pieces = 0;
};

TEST(pipeline, lets_a_decoder_split_its_work_over_the_threads) {
  const splitting_decoder splitting;
  const decoder* const decoders[] = {&splitting};
  for (const unsigned workers : {1u, 4u}) {
    fake_os os;
    add_game(os);
    load_rig rig(os, {.workers = workers});
    rig.mount({"/base.zip", "/mod"});
    checking_sink sink;
    load_scope scope(rig.files, rig.reads, rig.jobs, {.decoders = decoders, .sink = &sink});
    ASSERT_TRUE(scope.start());
    finish(scope);
    EXPECT_EQ(scope.summary().failed, 0u);
    EXPECT_EQ(sink.pieces.load(), 50'000u + 70'000 + 10'000);
  }
}

TEST(pipeline, closes_every_loose_file) {
  fake_os os;
  add_game(os);
  {
    load_rig rig(os);
    rig.mount({"/base.zip", "/mod"});
    const std::size_t open_before = os.open_handles();
    load_scope scope(rig.files, rig.reads, rig.jobs);
    ASSERT_TRUE(scope.start());
    finish(scope);
    EXPECT_EQ(os.open_handles(), open_before);
  }
  EXPECT_EQ(os.open_handles(), 0u);
  EXPECT_EQ(os.misuses(), 0u);
}

TEST(pipeline, loads_the_other_files_if_some_are_damaged) {
  fake_os os;
  zip_writer zip;
  zip.add({.name = "a.bin", .data = "good"});
  zip.add({.name = "crc.bin", .data = "data", .stated_crc32 = 7});
  zip.add({.name = "size.bin",
           .data = repeated("s", 999),
           .method = zip_deflated,
           .stated_bytes = 1000});
  zip.add({.name = "method.bin", .data = "data", .stated_method = 99});
  zip.add({.name = "outside.bin", .data = "data", .stated_offset = 1'000'000});
  zip.add({.name = "text.json", .data = "\xFC"});
  zip.add({.name = "lies.png", .data = "this is not a PNG"});
  zip.add({.name = "z.bin", .data = "good"});
  os.add_file("/game.zip", zip.bytes());
  load_rig rig(os);
  rig.mount({"/game.zip"});
  load_scope scope(rig.files, rig.reads, rig.jobs);
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_EQ(outcomes(rig, scope), (std::map<std::string, std::string>{
                                      {"a.bin", "ok"},
                                      {"crc.bin", "unpack: corrupt"},
                                      {"lies.png", "decode: corrupt"},
                                      {"method.bin", "resolve: unsupported"},
                                      {"outside.bin", "resolve: corrupt"},
                                      {"size.bin", "unpack: corrupt"},
                                      {"text.json", "decode: corrupt"},
                                      {"z.bin", "ok"},
                                  }));
  EXPECT_EQ(scope.summary().failed, 6u);
}

// A JSON file must be UTF-8, a text need not.
void add_flawed(fake_os& os) {
  os.add_file("/game/latin1.txt",
              "Gl\xFC"
              "ck");
  os.add_file("/game/good.txt", "good");
  os.add_file("/game/maps/broken.json", "\xFC");
}

TEST(pipeline, loads_files_with_flaws_and_warns_of_them) {
  fake_os os;
  add_flawed(os);
  load_rig rig(os);
  rig.mount({"/game"});
  load_scope scope(rig.files, rig.reads, rig.jobs);
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_EQ(scope.summary().files, 2u);
  EXPECT_EQ(scope.summary().warnings, 1u);
  EXPECT_EQ(scope.summary().failed, 1u);
  EXPECT_EQ(scope.summary().decoded_bytes, 4u);
  std::size_t warned = 0;
  scope.for_each_file([&](const loaded_file& file) {
    if (!file.warning) return;
    ++warned;
    EXPECT_EQ(rig.files.entry(file.entry).path, "latin1.txt");
    EXPECT_EQ(file.failure, nullptr);
    EXPECT_EQ(file.bytes, 5u);
    EXPECT_STREQ(file.warning->reason, "text is not UTF-8; not decoded");
    EXPECT_EQ(file.warning->offset, 2u);
  });
  EXPECT_EQ(warned, 1u);
}

TEST(pipeline, fails_files_with_warnings_if_asked_to_be_strict) {
  fake_os os;
  add_flawed(os);
  load_rig rig(os);
  rig.mount({"/game"});
  load_scope scope(rig.files, rig.reads, rig.jobs, {.strict = true});
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_EQ(outcomes(rig, scope)["latin1.txt"], "decode: corrupt");
  EXPECT_EQ(outcomes(rig, scope)["good.txt"], "ok");
  EXPECT_EQ(scope.summary().failed, 2u);
  EXPECT_EQ(scope.summary().warnings, 0u);
}

TEST(pipeline, skips_what_is_excluded_without_opening_it) {
  fake_os os;
  add_flawed(os);
  load_rig rig(os);
  rig.mount({"/game"});
  os.remove("/game/maps/broken.json");
  const std::string_view exclude[] = {"latin?.txt", "maps/**"};
  load_scope scope(rig.files, rig.reads, rig.jobs, {.exclude = exclude});
  ASSERT_TRUE(scope.start());
  finish(scope);
  const load_summary sum = scope.summary();
  EXPECT_EQ(sum.files, 1u);
  EXPECT_EQ(sum.skipped, 2u);
  EXPECT_EQ(sum.failed + sum.cancelled + sum.warnings, 0u);
  EXPECT_EQ(scope.progress().fraction, 1.0);
  scope.for_each_file([&](const loaded_file& file) {
    EXPECT_EQ(file.skipped, rig.files.entry(file.entry).path != "good.txt");
    EXPECT_FALSE(file.cancelled);
  });
}

TEST(pipeline, reads_again_if_a_header_is_longer_than_expected) {
  fake_os os;
  zip_writer zip;
  zip.add({.name = "padded.bin", .data = "payload", .local_extra_bytes = 60'000});
  zip.add({.name = "plain.bin", .data = "payload"});
  os.add_file("/game.zip", zip.bytes());
  load_rig rig(os);
  rig.mount({"/game.zip"});
  load_scope scope(rig.files, rig.reads, rig.jobs);
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_EQ(scope.summary().files, 2u);
}

TEST(pipeline, accepts_invalid_text_without_decoding) {
  fake_os os;
  os.add_file("/game/text.txt", "\xFF\xFE");
  load_rig rig(os);
  rig.mount({"/game"});
  load_scope scope(rig.files, rig.reads, rig.jobs, {.decode = false});
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_EQ(scope.summary().files, 1u);
  EXPECT_EQ(scope.summary().decoded_bytes, 0u);
}

TEST(pipeline, reports_a_vanished_file_as_not_found) {
  fake_os os;
  add_game(os);
  load_rig rig(os);
  rig.mount({"/base.zip", "/mod"});
  os.remove("/mod/new.bin");
  load_scope scope(rig.files, rig.reads, rig.jobs);
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_EQ(outcomes(rig, scope)["new.bin"], "resolve: not_found");
  EXPECT_EQ(scope.summary().files, 4u);
}

TEST(pipeline, reports_a_file_that_shrinks_before_the_read_as_truncated) {
  for (const bool cached : {false, true}) {
    fake_os os;
    os.add_file("/game/big.bin", repeated("b", 100'000));
    os.set_cached(cached);
    load_rig rig(os);
    rig.mount({"/game"});
    os.at_call(cached ? os_call::read_cached : os_call::read, 0,
               [&os] { os.truncate("/game/big.bin", 10); });
    load_scope scope(rig.files, rig.reads, rig.jobs);
    ASSERT_TRUE(scope.start());
    finish(scope);
    EXPECT_EQ(outcomes(rig, scope)["big.bin"], "read: truncated") << cached;
  }
}

// Neighbours are read together; files after the cut must not fail those before it.
TEST(pipeline, loads_what_precedes_the_cut_of_an_archive) {
  fake_os os;
  zip_writer archive;
  archive.add({.name = "a.bin", .data = repeated("a", 1'000)});
  archive.add({.name = "b.bin", .data = repeated("b", 1'000)});
  archive.add({.name = "c.bin", .data = repeated("c", 1'000)});
  os.add_file("/game.zip", archive.bytes());
  load_rig rig(os);
  rig.mount({"/game.zip"});
  os.truncate("/game.zip", 1'500);
  load_scope scope(rig.files, rig.reads, rig.jobs);
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_EQ(scope.summary().files, 1u);
  EXPECT_EQ(outcomes(rig, scope)["b.bin"], "read: truncated");
  EXPECT_EQ(outcomes(rig, scope)["c.bin"], "read: truncated");
}

TEST(pipeline, reports_a_folder_in_place_of_a_file) {
  fake_os os;
  add_game(os);
  load_rig rig(os);
  rig.mount({"/mod"});
  os.remove("/mod/new.bin");
  os.add_folder("/mod/new.bin");
  load_scope scope(rig.files, rig.reads, rig.jobs);
  ASSERT_TRUE(scope.start());
  finish(scope);
  EXPECT_EQ(outcomes(rig, scope)["new.bin"], "resolve: not_a_file");
}

// Loose files, because reads of neighbours in an archive are merged and then retried one by one.
TEST(pipeline, fails_only_the_file_whose_read_fails) {
  fake_os os;
  add_game(os);
  os.add_file("/mod/maps/one.bin", repeated("map", 50'000));
  os.add_file("/mod/maps/two.bin", repeated("other", 70'000));
  load_rig rig(os);
  rig.mount({"/mod"});
  for (std::uint64_t broken = 0; broken < 4; ++broken) {
    os.reset_plan();
    os.fail_call(os_call::read, broken, EIO);
    load_scope scope(rig.files, rig.reads, rig.jobs);
    ASSERT_TRUE(scope.start());
    finish(scope);
    EXPECT_EQ(scope.summary().failed, 1u);
    EXPECT_EQ(scope.summary().files, 4u);
    scope.for_each_file([](const loaded_file& file) {
      if (!file.failure) return;
      EXPECT_EQ(file.failed_in, load_stage::read);
      EXPECT_EQ(file.failure->os_error, EIO);
    });
  }
}

TEST(pipeline, continues_short_and_interrupted_reads) {
  fake_os os;
  add_game(os);
  load_rig rig(os);
  rig.mount({"/base.zip", "/mod"});
  load_scope plain(rig.files, rig.reads, rig.jobs);
  ASSERT_TRUE(plain.start());
  finish(plain);
  os.shorten_reads_at_random(7);
  os.fail_call(os_call::read, 2, EINTR, 3);
  load_scope shortened(rig.files, rig.reads, rig.jobs);
  ASSERT_TRUE(shortened.start());
  finish(shortened);
  EXPECT_EQ(shortened.summary().failed, 0u);
  EXPECT_EQ(shortened.summary().hash, plain.summary().hash);
}

TEST(pipeline, reports_refused_memory_for_the_file_or_the_start) {
  fake_os os;
  add_game(os);
  std::uint64_t refused = 0;
  for (bool reached = true; reached; ++refused) {
    failing_allocator memory(refused);
    {
      load_rig rig(os);  // with memory of its own; the next test covers that
      rig.mount({"/base.zip", "/mod"});
      load_scope scope(rig.files, rig.reads, rig.jobs, {.memory = &memory});
      const result<void> started = scope.start();
      if (started) {
        finish(scope);
        const load_summary sum = scope.summary();
        EXPECT_EQ(sum.files + sum.failed, 5u);
        scope.for_each_file([](const loaded_file& file) {
          const errc code = file.failure ? file.failure->code : errc::out_of_memory;
          EXPECT_EQ(code, errc::out_of_memory);
        });
      } else {
        EXPECT_EQ(started.error().code, errc::out_of_memory);
      }
      reached = memory.refusals() > 0;
    }
    EXPECT_EQ(memory.live_bytes(), 0) << "call " << refused;
  }
  EXPECT_GT(refused, 8u) << "the loop must reach the load's own allocations";
}

TEST(pipeline, survives_refused_memory_anywhere_in_the_engine) {
  fake_os os;
  add_game(os);
  std::uint64_t refused = 0;
  for (bool reached = true; reached; ++refused) {
    failing_allocator memory(refused);
    {
      load_rig rig(os, {.memory = &memory});
      const auto mounted = rig.files.mount("/base.zip");
      const auto mod = rig.files.mount("/mod");
      const auto frozen = rig.files.freeze();
      if (mounted && mod && frozen && rig.reads.status()) {
        load_scope scope(rig.files, rig.reads, rig.jobs, {.memory = &memory});
        if (scope.start()) finish(scope);
      }
      reached = memory.refusals() > 0;
    }
    EXPECT_EQ(memory.live_bytes(), 0) << "call " << refused;
  }
}

}  // namespace
}  // namespace overture::pipeline_test
