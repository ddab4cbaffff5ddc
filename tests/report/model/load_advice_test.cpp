// SPDX-License-Identifier: Zlib
#include "report/model/load_advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "overture/sync/wait_observer.hpp"

namespace overture::report_detail::load_advice_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t msec = 1'000'000;

load_report decode_bound() {
  load_report what;
  what.threads = 2;
  what.summary.ns = 2000 * msec;
  what.summary.stages[static_cast<std::size_t>(load_stage::decode)].ns = 3300 * msec;
  what.verdict.worker_ns = 4000 * msec;
  what.verdict.shares = {{"decode", false, 3300 * msec}};
  return what;
}

TEST(load_advice, is_given_only_where_the_times_say_so) {
  EXPECT_THAT(load_advice({}), IsEmpty());
  EXPECT_THAT(load_advice(decode_bound()), IsEmpty());
  load_report little = decode_bound();
  little.long_sounds = {9, 300 * msec, 1 << 20};  // less than a tenth
  EXPECT_THAT(load_advice(little), IsEmpty());
  load_report quick = decode_bound();
  quick.verdict.worker_ns = 80 * msec;
  quick.long_sounds = {9, 40 * msec, 1 << 20};
  EXPECT_THAT(load_advice(quick), IsEmpty()) << "too little to notice";
}

TEST(load_advice, names_what_saves_most_first) {
  load_report what = decode_bound();
  what.images = {100, 900 * msec, 1 << 30};
  what.long_sounds = {23, 1900 * msec, 400u << 20};
  EXPECT_THAT(sentences_of(load_advice(what)),
              ElementsAre("Up to 950 ms of the load: Stream 23 sounds longer than 30 s: they take "
                          "1.90 s of the 3.30 s of decode, and "
                          "400 MiB.",
                          "Up to 450 ms of the load: Ship textures as DDS, which is only copied: "
                          "100 images take 900 ms of the 3.30 s of "
                          "decode."));
  EXPECT_EQ(load_advice(what)[0].gain_ns, 950 * msec) << "its share of the load";
  what.interrupted = true;
  EXPECT_THAT(load_advice(what), IsEmpty());
}

TEST(load_advice, is_about_one_file_only_if_the_others_wait_for_it) {
  load_report what = decode_bound();
  what.slowest = {
      {.path = "cliff.png", .stage_ns = {0, 0, 0, 1500 * msec, 0}, .width = 4096, .height = 2048}};
  EXPECT_THAT(load_advice(what), IsEmpty());
  what.verdict.shares.push_back({idle_reasons::nothing_left, true, 1200 * msec});
  EXPECT_THAT(sentences_of(load_advice(what)),
              ElementsAre("Up to 600 ms of the load: Shrink or split cliff.png (4096 x 2048): it "
                          "alone takes 1.50 s of the 2.00 s "
                          "of the load, and the other threads wait for it."));
  EXPECT_EQ(load_advice(what)[0].gain_ns, 600 * msec) << "what the others wait";
  EXPECT_EQ(load_advice(what)[0].path, "cliff.png");
}

TEST(load_advice, is_about_unpacking_and_loose_files_too) {
  load_report what = decode_bound();
  what.deflated = {812, 1000 * msec};
  what.summary.stages[static_cast<std::size_t>(load_stage::resolve)].ns = 300 * msec;
  what.verdict.shares.push_back({idle_reasons::read, true, 300 * msec});
  what.mounts = {{.path = "game", .format = "folder", .files = 1436}};
  EXPECT_THAT(
      sentences_of(load_advice(what)),
      ElementsAre("Up to 333 ms of the load: Pack with zstd ('overture pack --zstd'), which "
                  "unpacks three times as fast as "
                  "deflate or faster, or store what is compressed already: to unpack 812 deflated "
                  "files takes 1.00 s of 4.00 s of work, and zstd saves two thirds of that.",
                  "Up to 300 ms of the load: Pack the 1,436 loose files of game into one archive "
                  "('overture pack'): opening them and "
                  "waiting for the disk takes 600 ms of the 4.00 s of the threads."));
}

TEST(load_advice, promises_of_zstd_what_it_saves) {
  load_report what = decode_bound();
  what.summary.stages[static_cast<std::size_t>(load_stage::unpack)].ns = 3000 * msec;
  EXPECT_THAT(load_advice(what), IsEmpty()) << "packed with zstd";
  what.deflated = {9, 1200 * msec};
  ASSERT_THAT(load_advice(what), testing::SizeIs(1));
  EXPECT_EQ(load_advice(what)[0].gain_ns, 400 * msec) << "two thirds of its share of the load";
  what.deflated = {9, 290 * msec};
  EXPECT_THAT(load_advice(what), IsEmpty()) << "less than a twentieth of the load";
}

TEST(load_advice, names_the_folder_that_has_most_of_the_loose_files) {
  load_report what = decode_bound();
  what.summary.stages[static_cast<std::size_t>(load_stage::resolve)].ns = 800 * msec;
  what.mounts = {{.path = "game", .format = "folder", .files = 100},
                 {.path = "mods/quests", .format = "folder", .files = 12'000},
                 {.path = "a.zip", .format = "zip", .files = 20'000}};
  EXPECT_THAT(
      sentences_of(load_advice(what)),
      ElementsAre("Up to 400 ms of the load: Pack the 12,100 loose files into one archive "
                  "('overture pack'): opening them and waiting for the disk takes 800 ms of the "
                  "4.00 s of the threads; mods/quests has 12,000 of them."));
}

TEST(load_advice, names_the_one_file_that_takes_much_of_its_group) {
  load_report what = decode_bound();
  what.images = {2224, 2000 * msec, 1 << 30, "maps/world.png", 500 * msec};
  what.slowest = {{.path = "maps/world.png", .width = 8000, .height = 8000}};
  const auto sentences = [&] { return sentences_of(load_advice(what)); };
  ASSERT_THAT(sentences(), testing::SizeIs(2));
  EXPECT_EQ(
      sentences()[1],
      "Up to 250 ms of the load: Shrink or split maps/world.png (8000 x 8000): it alone takes "
      "500 ms of the 3.30 s of decode.");
  EXPECT_EQ(load_advice(what)[1].path, "maps/world.png");
  what.images.slowest_ns = 390 * msec;
  EXPECT_THAT(sentences(), testing::SizeIs(1)) << "less than a fifth";
}

TEST(load_advice, names_a_file_that_is_over_the_budget_once) {
  load_report what = decode_bound();
  what.budget_bytes = 256u << 20;
  what.summary.in_flight_bytes_max = 273u << 20;
  what.largest = {"maps/world.png", 0, 2u << 20, 244u << 20};
  what.verdict.shares.push_back({idle_reasons::budget, true, 100 * msec});
  what.slowest = {{.path = "maps/world.png",
                   .stage_ns = {0, 0, 0, 200 * msec, 0},
                   .width = 8000,
                   .height = 8000}};
  const std::string sentence = "Shrink or split maps/world.png (8000 x 8000)";
  const std::string why = "; it needs 246 MiB at once, which went over the budget of 256 MiB.";
  EXPECT_THAT(sentences_of(load_advice(what)),
              ElementsAre("Up to 150 ms of the load: " + sentence + why));
  what.images = {9, 500 * msec, 1 << 30, "maps/world.png", 450 * msec};
  EXPECT_THAT(sentences_of(load_advice(what)),
              testing::Contains("Up to 225 ms of the load: " + sentence +
                                ": it alone takes 450 ms of the 3.30 s of decode" + why));
  EXPECT_THAT(load_advice(what), testing::SizeIs(2)) << "the images, and this one";
  what.summary.in_flight_by_module[static_cast<std::size_t>(memory_tag::vfs)] = 300u << 20;
  EXPECT_THAT(sentences_of(load_advice(what)),
              testing::Not(testing::Contains(testing::HasSubstr(why))))
      << "a solid block went over it";
  what.summary.in_flight_by_module[static_cast<std::size_t>(memory_tag::vfs)] = 0;
  what.budget_bytes = 512u << 20;
  EXPECT_THAT(sentences_of(load_advice(what)),
              testing::Not(testing::Contains(testing::HasSubstr(why))));
}

// One thread unpacks music.tar.xz, the other one waits.
load_report solid() {
  load_report what = decode_bound();
  what.mount_ns = 1200 * msec;
  what.mounts = {{.path = "game.zip", .format = "zip", .mount_ns = 100 * msec},
                 {.path = "music.tar.xz",
                  .format = "tar",
                  .mount_ns = 1100 * msec,
                  .blocks = 1,
                  .block_ns = 1800 * msec}};
  what.verdict.shares = {{"unpack", false, 1800 * msec},
                         {idle_reasons::solid_block, true, 1900 * msec}};
  return what;
}

TEST(load_advice, names_solid_archives) {
  load_report what = solid();
  EXPECT_THAT(
      sentences_of(load_advice(what)),
      ElementsAre("Up to 1.80 s of the load: Unpack music.tar.xz ('overture extract') or "
                  "make a ZIP of it ('overture pack --zstd'): it is one solid block, and to "
                  "read it takes 1.80 s, and to mount it 1.10 s."));
  what.mounts[1] = {.path = "a.7z", .blocks = 4, .block_ns = 2000 * msec};
  EXPECT_THAT(
      sentences_of(load_advice(what)),
      ElementsAre("Up to 1.00 s of the load: Unpack a.7z ('overture extract') or make a ZIP "
                  "of it ('overture pack --zstd'): it is 4 solid blocks, and to read it "
                  "takes 2.00 s."))
      << "two at a time";
  what.mounts[1].block_ns = 300 * msec;
  EXPECT_THAT(load_advice(what), IsEmpty()) << "little of the load";
}

TEST(load_advice, of_a_solid_archive_gives_no_more_than_the_threads_had_for_it) {
  load_report what = solid();
  what.verdict.shares = {{"decode", false, 2200 * msec}, {"read", false, 1800 * msec}};
  ASSERT_THAT(load_advice(what), testing::SizeIs(1));
  EXPECT_EQ(load_advice(what)[0].gain_ns, 900 * msec) << "the other thread decoded meanwhile";
}

TEST(content_of, says_what_an_image_or_a_sound_is) {
  EXPECT_EQ(content_of({.width = 4096, .height = 2048}), "4096 x 2048");
  EXPECT_EQ(content_of({.sample_rate = 44'100, .sound_frames = 44'100 * 205}), "3:25, 44.1 kHz");
  EXPECT_EQ(content_of({}), "");
}

}  // namespace
}  // namespace overture::report_detail::load_advice_test
