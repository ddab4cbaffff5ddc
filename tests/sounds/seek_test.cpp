// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include "sounds/stage.hpp"

namespace overture::seek_test {
namespace {

using namespace test;

// How far the samples after a seek may be from those of a first pass: decoders of Opus and MP3 run
// in from something else.
double seek_tolerance(std::string_view format) {
  if (format == "opus") return 0.001;
  return format == "mp3" ? 0.0001 : 0;
}

TEST(a_seek, goes_to_every_place) {
  for (const format_of_songs& format : song_formats()) {
    stage songs(format.make({}));
    for (const asset_path& path : {"stored"_path, "packed"_path}) {
      sound_stream stream = songs.open({}, path);
      const std::vector<float> whole = play<float>(stream);
      const std::uint64_t length = stream.length();
      ASSERT_GT(length, 50'000u);
      std::uint64_t place = 12'345;
      for (int i = 0; i < 60; ++i) {
        place = i == 0 ? 0 : i == 1 ? length - 1 : (place * 7919 + 104'729) % length;
        stream.seek(place);
        EXPECT_EQ(stream.position(), place);
        EXPECT_FALSE(stream.ended());
        const std::vector<float> heard = play<float>(stream, 900);
        ASSERT_LE(difference(heard, part(whole, 2, place, 900)), seek_tolerance(format.name))
            << format.name << " at " << place;
        EXPECT_EQ(stream.position(), std::min(place + 900, length));
      }
      EXPECT_EQ(stream.status().damages, 0u) << format.name << stream.status().first.reason;
    }
  }
}

// Pages, packets and blocks begin and end there.
TEST(a_seek, goes_to_each_frame_of_a_stretch) {
  for (const format_of_songs& format : song_formats()) {
    stage songs(format.make({.channels = 2, .frames = 24'000}));
    sound_stream stream = songs.open();
    const std::vector<float> whole = play<float>(stream);
    for (std::uint64_t place = 3000; place < 9000; place += 37) {
      stream.seek(place);
      ASSERT_LE(difference(play<float>(stream, 64), part(whole, 2, place, 64)),
                seek_tolerance(format.name))
          << format.name << " at " << place;
    }
  }
}

TEST(a_seek, to_the_end_or_beyond_ends_the_song) {
  for (const format_of_songs& format : song_formats()) {
    stage songs(format.make({}));
    for (const asset_path& path : {"stored"_path, "packed"_path}) {
      sound_stream stream = songs.open({}, path);
      std::vector<float> block(200);
      for (const std::uint64_t place : {std::uint64_t{0}, std::uint64_t{1} << 30, UINT64_MAX}) {
        const std::uint64_t to = place == 0 ? stream.length() : place;
        if (to == 0) continue;  // not known yet
        stream.seek(to);
        EXPECT_FALSE(stream.ended());
        stream.decode();
        EXPECT_EQ(stream.read(std::span(block)), 0u) << format.name;
        EXPECT_TRUE(stream.ended()) << format.name;
        EXPECT_EQ(stream.position(), stream.length()) << format.name;
        EXPECT_NE(stream.length(), 0u);
      }
      stream.seek(5);
      EXPECT_FALSE(stream.ended());
      EXPECT_EQ(play<float>(stream, 100).size(), 200u) << format.name;
      EXPECT_EQ(stream.underruns(), 0u);
      EXPECT_EQ(stream.status().damages, 0u) << stream.status().first.reason;
    }
  }
}

TEST(a_seek, drops_what_was_decoded_before_it) {
  stage songs(wav_song());
  sound_stream stream = songs.open();
  stream.decode();
  std::vector<float> block(2000);
  stream.seek(40'000);
  EXPECT_EQ(stream.read(std::span(block)), 0u) << "the ring holds the beginning of the song";
  EXPECT_EQ(stream.underruns(), 0u) << "which is not the decoder's fault";
  EXPECT_EQ(block, std::vector<float>(2000)) << "silence";
  stream.decode();
  EXPECT_EQ(stream.read(std::span(block)), 1000u);
  EXPECT_NEAR(block[0], sweep(0, 40'000), 0.0001);
  EXPECT_EQ(stream.position(), 41'000u);
}

TEST(a_seek, that_follows_another_wins) {
  stage songs(wav_song());
  sound_stream stream = songs.open();
  for (std::uint64_t place = 0; place < 50'000; place += 1000) stream.seek(place);
  EXPECT_EQ(stream.position(), 49'000u);
  EXPECT_NEAR(play<float>(stream, 10)[0], sweep(0, 49'000), 0.0001);
}

}  // namespace
}  // namespace overture::seek_test
