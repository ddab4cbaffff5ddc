// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include "decoders/ogg_pages.hpp"
#include "sounds/stage.hpp"

namespace overture::damage_test {
namespace {

using namespace test;

bool is_ogg(std::string_view name) {
  return name == "vorbis" || name == "opus";
}

// The song with some bytes in its middle changed.
bytes damaged_in_the_middle(bytes file) {
  for (std::size_t i = 0; i < 300; ++i) file[file.size() / 2 + i] ^= std::byte{0x5A};
  return file;
}

TEST(a_damaged_song, goes_on_behind_the_damage_in_time) {
  for (const format_of_songs& format : song_formats()) {
    if (format.name == std::string_view("wav")) continue;  // any byte is a sample
    const bytes file = format.make({});
    stage sound(file);
    stage damaged(damaged_in_the_middle(file));
    sound_stream whole = sound.open();
    const std::vector<float> expected = play<float>(whole);
    sound_stream stream = damaged.open();
    const std::vector<float> heard = play<float>(stream);
    const sound_status now = stream.status();
    EXPECT_GE(now.damages, 1u) << format.name;
    EXPECT_FALSE(now.stopped) << format.name;
    EXPECT_EQ(now.first.code, errc::corrupt) << format.name;
    EXPECT_NEAR(static_cast<double>(now.byte), static_cast<double>(file.size()) / 2, 5000)
        << format.name;
    EXPECT_NEAR(static_cast<double>(now.frame), static_cast<double>(expected.size()) / 4, 10'000)
        << format.name;
    // MP3 has no positions: what cannot be decoded is not there.
    if (format.name == std::string_view("mp3")) {
      EXPECT_GT(heard.size(), expected.size() - 20'000);
      continue;
    }
    ASSERT_EQ(heard.size(), expected.size()) << format.name;
    EXPECT_LE(difference(part(heard, 2, 0, 20'000), part(expected, 2, 0, 20'000)), 0)
        << format.name;
    EXPECT_LE(difference(part(heard, 2, 50'000), part(expected, 2, 50'000)), 0.001) << format.name;
  }
}

TEST(a_damaged_song, can_be_sought_in) {
  for (const format_of_songs& format : song_formats()) {
    const bytes file = format.make({});
    stage sound(file);
    stage damaged(damaged_in_the_middle(file));
    sound_stream whole = sound.open();
    const std::vector<float> expected = play<float>(whole);
    sound_stream stream = damaged.open();
    for (const std::uint64_t place : {55'000u, 3000u, 30'000u, 50'000u, 29'000u}) {
      stream.seek(place);
      const std::vector<float> heard = play<float>(stream, 500);
      ASSERT_EQ(heard.size(), 1000u) << format.name << " at " << place;
      if (format.name == std::string_view("mp3")) continue;
      if (place < 20'000 || place >= 50'000) {
        EXPECT_LE(difference(heard, part(expected, 2, place, 500)), 0.001)
            << format.name << " at " << place;
      }
    }
  }
}

TEST(a_damaged_song, loops_on) {
  for (const format_of_songs& format : song_formats()) {
    stage damaged(damaged_in_the_middle(format.make({})));
    sound_stream stream =
        damaged.open({.repeat = sound_repeat::always, .loop_begin = 20'000, .loop_end = 45'000});
    EXPECT_EQ(play<float>(stream, 120'000).size(), 240'000u) << format.name;
    EXPECT_GE(stream.loops(), 3u);
    EXPECT_FALSE(stream.ended());
  }
}

TEST(a_song_without_a_page, is_silent_where_it_was) {
  for (const format_of_songs& format : song_formats()) {
    if (!is_ogg(format.name)) continue;
    const bytes file = format.make({});
    stage sound(file);
    sound_stream whole = sound.open();
    const std::vector<float> expected = play<float>(whole);
    std::size_t pages = 0;
    for_each_page(file, [&](std::size_t, const bytes&) { ++pages; });
    ASSERT_GT(pages, 8u);
    for (const std::size_t page : {pages / 2, pages - 2, pages - 1}) {
      stage songs(without_page(file, page));
      sound_stream stream = songs.open();
      const std::vector<float> heard = play<float>(stream);
      EXPECT_GE(stream.status().damages, 1u) << format.name << ' ' << page;
      if (page == pages - 1) {
        EXPECT_STREQ(stream.status().first.reason, "the Ogg file is truncated");
        continue;
      }
      ASSERT_EQ(heard.size(), expected.size()) << format.name << ' ' << page;
      EXPECT_LE(difference(part(heard, 2, 0, 20'000), part(expected, 2, 0, 20'000)), 0);
      if (page == pages / 2) {
        EXPECT_LE(difference(part(heard, 2, 52'000), part(expected, 2, 52'000)), 0.001);
      }
    }
  }
}

TEST(a_song_whose_page_numbers_jump, misses_nothing) {
  for (const format_of_songs& format : song_formats()) {
    if (!is_ogg(format.name)) continue;
    const bytes file = format.make({});
    stage sound(file);
    stage songs(with_page_numbers_from(file, 6, 3));
    sound_stream whole = sound.open();
    sound_stream stream = songs.open();
    EXPECT_EQ(play<float>(stream), play<float>(whole)) << format.name;
    EXPECT_EQ(stream.status().damages, 0u) << stream.status().first.reason;
  }
}

TEST(a_song_that_is_cut_anywhere, plays_up_to_there) {
  for (const format_of_songs& format : song_formats()) {
    const bytes file = format.make({.frames = 20'000});
    for (std::size_t eighth = 0; eighth < 16; ++eighth) {
      bytes cut(file.begin(),
                file.begin() + static_cast<std::ptrdiff_t>(file.size() * eighth / 16));
      stage songs(cut);
      for (const asset_path& path : {"stored"_path, "packed"_path}) {
        result<sound_stream> stream = songs.try_open({}, path);
        if (!stream) {
          EXPECT_NE(stream.error().code, errc::out_of_memory) << format.name;
          continue;
        }
        const std::vector<float> heard = play<float>(*stream, 100'000);
        EXPECT_TRUE(stream->ended()) << format.name << ' ' << eighth;
        EXPECT_LE(heard.size(), 45'000u);
        if (eighth == 15 && format.name != std::string_view("mp3")) {
          EXPECT_GE(stream->status().damages, 1u) << format.name;
          EXPECT_GE(heard.size(), 20'000u) << format.name;
        }
      }
    }
  }
}

TEST(a_song_with_any_bit_flipped, comes_to_an_end) {
  for (const format_of_songs& format : song_formats()) {
    const bytes file = format.make({.frames = 4000});
    const std::size_t bits = file.size() * 8;
    for (std::size_t bit = 0; bit < bits; bit += bits / 150 + 1) {
      bytes flipped = file;
      flipped[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
      stage songs(flipped);
      result<sound_stream> stream = songs.try_open();
      if (!stream) continue;
      (void)play<float>(*stream, 100'000);
      stream->seek(2000);
      (void)play<float>(*stream, 1000);
    }
  }
}

TEST(a_packed_song_with_a_wrong_checksum, ends_with_an_error) {
  zip_writer zip;
  const bytes file = vorbis_song();
  zip.add({.name = "wrong",
           .data = std::string(reinterpret_cast<const char*>(file.data()), file.size()),
           .method = zip_deflated,
           .stated_crc32 = 1});
  mounted tree{zip};
  const result<sound_stream> small = sound_stream::open(tree.files, "wrong"_path);
  ASSERT_FALSE(small) << "it is unpacked as a whole";
  EXPECT_EQ(small.error().code, errc::corrupt);
}

// An Ogg packet of 2 MiB, in pages that go on for ever.
TEST(an_endless_packet, is_refused) {
  const bytes song = vorbis_song({.frames = 2000});
  bytes file;
  for_each_page(song, [&](std::size_t number, const bytes& page) {
    if (number < 2) file.insert(file.end(), page.begin(), page.end());
  });
  for (unsigned number = 2; number < 35; ++number) {
    bytes page = byte_writer{}
                     .text("OggS")
                     .u8(0)
                     .u8(number == 2 ? 0 : 1)
                     .u32(0xFFFFFFFF)
                     .u32(0xFFFFFFFF)
                     .u32(7)
                     .u32(number)
                     .u32(0)
                     .u8(255)
                     .content;
    page.resize(27 + 255, std::byte{255});
    page.resize(27 + 255 + 255 * 255);
    file.insert(file.end(), page.begin(), page.end());
  }
  const auto untouched = [](std::size_t, bytes&) {};
  stage songs(with_pages_changed_from(file, 0, untouched));
  const result<sound_stream> stream = songs.try_open({.repeat = sound_repeat::once});
  if (stream) {
    EXPECT_TRUE(stream->status().stopped);
    EXPECT_EQ(stream->status().first.code, errc::limit);
  } else {
    EXPECT_EQ(stream.error().code, errc::limit) << stream.error().reason;
  }
}

// Each byte of it looks like the beginning of a large page.
TEST(a_file_of_magic_words, costs_no_more_than_some_passes) {
  bytes file = vorbis_song({.frames = 2000});
  const std::size_t begin = file.size();
  while (file.size() < (4u << 20)) {
    for (const char letter : {'O', 'g', 'g', 'S'}) file.push_back(static_cast<std::byte>(letter));
    file.resize(file.size() + 22);
    file.push_back(std::byte{255});
    file.resize(file.size() + 1, std::byte{255});
  }
  std::fill(file.begin() + static_cast<std::ptrdiff_t>(begin) + 27,
            file.begin() + static_cast<std::ptrdiff_t>(begin) + 27, std::byte{255});
  stage songs(file);
  result<sound_stream> stream = songs.try_open();
  if (stream) (void)play<float>(*stream, 100'000);
}

TEST(a_chain_of_songs, plays_its_first_and_says_so) {
  bytes file = vorbis_song();
  stage first(file);
  sound_stream alone = first.open();
  bytes second = vorbis_song({.frames = 9000});
  // Another stream has another number.
  second =
      with_pages_changed_from(second, 0, [](std::size_t, bytes& page) { put_u32(page, 14, 99); });
  file.insert(file.end(), second.begin(), second.end());
  stage songs(file);
  sound_stream stream = songs.open();
  EXPECT_EQ(play<float>(stream), play<float>(alone));
  EXPECT_EQ(stream.length(), alone.length());
  EXPECT_EQ(stream.status().damages, 1u);
  EXPECT_EQ(stream.status().first.code, errc::unsupported);
}

}  // namespace
}  // namespace overture::damage_test
