// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include "sounds/stage.hpp"

namespace overture::loop_test {
namespace {

using namespace test;

double loop_tolerance(std::string_view format) {
  if (format == "opus") return 0.001;
  return format == "mp3" ? 0.0001 : 0;
}

template <class Sample>
void append(std::vector<Sample>& to, const std::vector<Sample>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

TEST(a_loop, goes_back_without_a_gap_to_the_very_frame) {
  for (const format_of_songs& format : song_formats()) {
    stage songs(format.make({}));
    sound_stream once = songs.open();
    const std::vector<float> whole = play<float>(once);
    for (const asset_path& path : {"stored"_path, "packed"_path}) {
      sound_stream stream = songs.open(
          {.repeat = sound_repeat::always, .loop_begin = 11'111, .loop_end = 33'333}, path);
      std::vector<float> expected = part(whole, 2, 0, 33'333);
      for (int i = 0; i < 3; ++i) append(expected, part(whole, 2, 11'111, 33'333 - 11'111));
      const std::vector<float> heard = play<float>(stream, expected.size() / 2);
      EXPECT_LE(difference(heard, expected), loop_tolerance(format.name)) << format.name;
      EXPECT_EQ(stream.loops(), 3u);
      EXPECT_EQ(stream.underruns(), 0u);
      EXPECT_FALSE(stream.ended());
      EXPECT_EQ(stream.status().damages, 0u) << stream.status().first.reason;
    }
  }
}

TEST(a_loop, of_the_whole_song_joins_its_end_to_its_beginning) {
  for (const format_of_songs& format : song_formats()) {
    stage songs(format.make({.channels = 2, .frames = 20'000}));
    sound_stream once = songs.open();
    const std::vector<float> whole = play<float>(once);
    for (const asset_path& path : {"stored"_path, "packed"_path}) {
      sound_stream stream = songs.open({.repeat = sound_repeat::always}, path);
      std::vector<float> expected = whole;
      append(expected, whole);
      EXPECT_LE(difference(play<float>(stream, expected.size() / 2), expected),
                loop_tolerance(format.name))
          << format.name;
      EXPECT_EQ(stream.loops(), 1u);
      EXPECT_EQ(stream.length(), whole.size() / 2);
    }
  }
}

TEST(a_loop, may_be_shorter_than_a_piece_or_one_frame) {
  stage songs(wav_song());
  sound_stream once = songs.open();
  const std::vector<float> whole = play<float>(once);
  for (const std::uint64_t frames : {1u, 2u, 100u, 1024u}) {
    sound_stream stream =
        songs.open({.repeat = sound_repeat::always, .loop_begin = 500, .loop_end = 500 + frames});
    std::vector<float> expected = part(whole, 2, 0, 500 + frames);
    for (int i = 0; i < 7; ++i) append(expected, part(whole, 2, 500, frames));
    EXPECT_EQ(play<float>(stream, expected.size() / 2, 64), expected) << frames;
    EXPECT_EQ(stream.loops(), 7u);
  }
}

TEST(a_loop, comes_from_the_tags_of_the_file) {
  const std::vector<std::pair<std::string, std::string>> tags = {
      {"TITLE", "a song"}, {"LOOPSTART", "10000"}, {"LoopLength", "20000"}};
  for (const format_of_songs& format : song_formats()) {
    if (format.name == std::string_view("wav")) continue;  // has none
    bytes file = format.make({.tags = tags});
    if (format.name == std::string_view("mp3")) {
      const bytes tag = id3_tag(tags);
      file.insert(file.begin(), tag.begin(), tag.end());
    }
    stage songs(file);
    sound_stream stream = songs.open();
    EXPECT_TRUE(stream.loop().is_set) << format.name;
    EXPECT_EQ(stream.loop().begin, 10'000u) << format.name;
    EXPECT_EQ(stream.loop().end, 30'000u) << format.name;
    EXPECT_EQ(play<float>(stream, 75'000).size(), 150'000u) << format.name;
    EXPECT_EQ(stream.loops(), 3u) << format.name;
    EXPECT_EQ(stream.position(), 15'000u) << format.name;
    sound_stream once = songs.open({.repeat = sound_repeat::once});
    EXPECT_FALSE(once.loop().is_set);
    EXPECT_LT(play<float>(once).size(), 150'000u);
    EXPECT_TRUE(once.ended());
  }
}

TEST(a_loop, of_tags_that_make_no_sense_is_none) {
  for (const auto& [begin, length] : {std::pair("70000", "100"), std::pair("-5", "100"),
                                      std::pair("99999999999999999999999", "1")}) {
    stage songs(vorbis_song({.tags = {{"LOOPSTART", begin}, {"LOOPLENGTH", length}}}));
    EXPECT_FALSE(songs.open().loop().is_set) << begin;
  }
  stage without_length(vorbis_song({.tags = {{"LOOPSTART", "5000"}}}));
  EXPECT_TRUE(without_length.open().loop().is_set);
  EXPECT_EQ(without_length.open().loop().end, 0u) << "up to the end";
  stage too_long(vorbis_song({.tags = {{"LOOPSTART", "5000"}, {"LOOPLENGTH", "5000000"}}}));
  EXPECT_EQ(too_long.open().loop().end, 0u);
}

TEST(a_loop, that_the_program_asks_for_must_be_one) {
  stage songs(wav_song());
  const auto outcome = [&](std::uint64_t begin, std::uint64_t end) {
    const result<sound_stream> opened =
        songs.try_open({.repeat = sound_repeat::always, .loop_begin = begin, .loop_end = end});
    return opened ? errc::exists : opened.error().code;
  };
  EXPECT_EQ(outcome(10, 10), errc::invalid);
  EXPECT_EQ(outcome(10, 5), errc::invalid);
  EXPECT_EQ(outcome(60'000, 0), errc::invalid);
  EXPECT_EQ(outcome(59'999, 0), errc::exists);
}

TEST(a_loop, is_left_by_a_seek_behind_it) {
  stage songs(wav_song());
  sound_stream stream =
      songs.open({.repeat = sound_repeat::always, .loop_begin = 1000, .loop_end = 20'000});
  stream.seek(30'000);
  EXPECT_EQ(play<float>(stream).size(), 30'000u * 2);
  EXPECT_TRUE(stream.ended());
  EXPECT_EQ(stream.loops(), 0u);
  stream.seek(19'000);
  EXPECT_EQ(play<float>(stream, 5000).size(), 10'000u);
  EXPECT_EQ(stream.loops(), 1u);
}

TEST(a_loop, is_kept_by_a_seek_into_it) {
  stage songs(vorbis_song());
  sound_stream once = songs.open();
  const std::vector<float> whole = play<float>(once);
  sound_stream stream =
      songs.open({.repeat = sound_repeat::always, .loop_begin = 8000, .loop_end = 20'000});
  stream.seek(19'500);
  std::vector<float> expected = part(whole, 2, 19'500, 500);
  append(expected, part(whole, 2, 8000, 3000));
  EXPECT_EQ(play<float>(stream, 3500), expected);
  EXPECT_EQ(stream.position(), 11'000u);
}

}  // namespace
}  // namespace overture::loop_test
