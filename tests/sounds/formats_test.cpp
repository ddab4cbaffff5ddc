// SPDX-License-Identifier: Zlib
//
// A stream gives what the decoders of whole files give.
#include <gtest/gtest.h>
#include <opusfile.h>

#include "decoders/ogg_pages.hpp"
#include "overture/decoders/decoder.hpp"
#include "sounds/stage.hpp"
#include "support/temp_folder.hpp"

namespace overture::formats_test {
namespace {

using namespace test;

const decoder& decoder_of(std::string_view name) {
  for (const decoder* each : all_decoders()) {
    if (each->name() == name) return *each;
  }
  ADD_FAILURE() << "no decoder of " << name;
  return *all_decoders().front();
}

std::vector<std::int16_t> decoded_whole(std::string_view name, const bytes& file) {
  const result<decoded_asset> sound = decoder_of(name).decode(file, default_allocator());
  EXPECT_TRUE(sound) << name << ": " << (sound ? "" : sound.error().reason);
  if (!sound) return {};
  std::vector<std::int16_t> samples(sound->bytes().size() / 2);
  std::memcpy(samples.data(), sound->bytes().data(), sound->bytes().size());
  return samples;
}

// libopusfile adds noise before it cuts samples to 16 bits; the floats are compared below.
double tolerance_of(std::string_view name) {
  return name == "opus" ? 24 : 0;
}

TEST(a_sound_stream, gives_the_samples_that_the_whole_file_has) {
  for (const format_of_songs& format : song_formats()) {
    for (const int channels : {1, 2}) {
      if (format.name == std::string_view("mp3") && channels == 1) continue;
      const bytes file = format.make({.channels = channels});
      const std::vector<std::int16_t> whole = decoded_whole(format.name, file);
      stage songs(file);
      for (const asset_path& path : {"stored"_path, "packed"_path}) {
        sound_stream stream = songs.open({.samples = sound_samples::int16}, path);
        EXPECT_STREQ(stream.format(), format.name);
        EXPECT_EQ(stream.channels(), static_cast<unsigned>(channels));
        EXPECT_EQ(stream.sample_rate(),
                  format.name == std::string_view("opus") ? 48'000u : 44'100u);
        const std::vector<std::int16_t> heard = play<std::int16_t>(stream);
        EXPECT_GT(heard.size(), 50'000u) << format.name;
        EXPECT_LE(difference(heard, whole), tolerance_of(format.name)) << format.name;
        EXPECT_EQ(stream.length() * stream.channels(), whole.size()) << format.name;
        EXPECT_EQ(stream.status().damages, 0u)
            << format.name << ": " << stream.status().first.reason;
      }
    }
  }
}

TEST(a_sound_stream, gives_the_floats_of_libopusfile) {
  const bytes file = opus_song();
  OggOpusFile* const whole =
      op_open_memory(reinterpret_cast<const unsigned char*>(file.data()), file.size(), nullptr);
  ASSERT_NE(whole, nullptr);
  std::vector<float> expected(static_cast<std::size_t>(op_pcm_total(whole, -1)) * 2);
  for (std::size_t at = 0; at < expected.size();) {
    const int frames =
        op_read_float(whole, &expected[at], static_cast<int>(expected.size() - at), nullptr);
    ASSERT_GT(frames, 0);
    at += static_cast<std::size_t>(frames) * 2;
  }
  op_free(whole);
  stage songs(file);
  sound_stream stream = songs.open();
  EXPECT_EQ(play<float>(stream), expected);
}

TEST(a_sound_stream, gives_floats_or_integers_whatever_its_ring_holds) {
  for (const format_of_songs& format : song_formats()) {
    stage songs(format.make({}));
    sound_stream floats = songs.open();
    sound_stream integers = songs.open({.samples = sound_samples::int16});
    const std::vector<float> fine = play<float>(floats);
    const std::vector<float> coarse = play<float>(integers);
    EXPECT_LE(difference(fine, coarse), 1.0 / 32768) << format.name;
    floats.seek(0);
    integers.seek(0);
    EXPECT_LE(difference(play<std::int16_t>(floats), play<std::int16_t>(integers)), 1)
        << format.name;
  }
}

TEST(a_sound_stream, reads_all_widths_of_wav) {
  for (const unsigned bits : {8u, 16u, 24u, 32u}) {
    const bytes file = wav_song({.frames = 5000, .bits = bits});
    stage songs(file);
    sound_stream stream = songs.open({.samples = sound_samples::int16});
    EXPECT_EQ(play<std::int16_t>(stream), decoded_whole("wav", file)) << bits;
    sound_stream floats = songs.open();
    const std::vector<float> fine = play<float>(floats);
    ASSERT_EQ(fine.size(), 10'000u);
    EXPECT_NEAR(fine[6001], sweep(1, 3000), bits == 8 ? 0.01 : 0.0001) << bits;
  }
  const bytes file = wav_song({.frames = 5000, .floats = true});
  stage songs(file);
  sound_stream stream = songs.open({.samples = sound_samples::int16});
  EXPECT_EQ(play<std::int16_t>(stream), decoded_whole("wav", file));
  sound_stream floats = songs.open();
  EXPECT_EQ(play<float>(floats)[6001], static_cast<float>(sweep(1, 3000)));
}

TEST(a_sound_stream, reads_wide_and_narrow_flac) {
#if __has_include(<FLAC/stream_encoder.h>)
  for (const unsigned bits : {8u, 16u, 24u}) {
    for (const bool states_length : {true, false}) {
      const bytes file =
          flac_song({.channels = 1, .frames = 9000, .bits = bits, .states_length = states_length});
      stage songs(file);
      sound_stream stream = songs.open({.samples = sound_samples::int16});
      EXPECT_EQ(play<std::int16_t>(stream), decoded_whole("flac", file)) << bits;
      EXPECT_EQ(stream.length(), 9000u) << "known at the end at least";
      stream.seek(7000);
      EXPECT_EQ(play<std::int16_t>(stream), part(decoded_whole("flac", file), 1, 7000)) << bits;
    }
  }
#endif
}

TEST(a_sound_stream, has_as_many_channels_as_the_file) {
  for (const int channels : {3, 4, 8}) {
    for (const format_of_songs& format : song_formats()) {
      if (format.name == std::string_view("mp3")) continue;
      const bytes file = format.make({.channels = channels, .frames = 8000});
      stage songs(file);
      sound_stream stream = songs.open({.samples = sound_samples::int16});
      EXPECT_EQ(stream.channels(), static_cast<unsigned>(channels));
      EXPECT_LE(difference(play<std::int16_t>(stream), decoded_whole(format.name, file)),
                tolerance_of(format.name))
          << format.name << ' ' << channels;
    }
  }
}

TEST(a_sound_stream, plays_a_loose_file) {
  const temp_folder folder;
  const bytes file = vorbis_song();
  folder.write("theme.ogg", {reinterpret_cast<const char*>(file.data()), file.size()});
  file_system files;
  ASSERT_TRUE(files.mount(folder.name().c_str()));
  result<sound_stream> stream =
      sound_stream::open(files, "theme.ogg"_path, {.samples = sound_samples::int16});
  ASSERT_TRUE(stream) << stream.error().reason;
  EXPECT_EQ(play<std::int16_t>(*stream), decoded_whole("vorbis", file));
}

TEST(a_sound_stream, plays_from_a_reader) {
  const bytes file = vorbis_song();
  stage songs(file);
  result<file_reader> reader = file_reader::open(songs.tree.files, "packed"_path);
  ASSERT_TRUE(reader);
  ASSERT_TRUE(reader->seek(100));
  result<sound_stream> stream =
      sound_stream::open(*std::move(reader), {.samples = sound_samples::int16});
  ASSERT_TRUE(stream) << stream.error().reason;
  EXPECT_EQ(play<std::int16_t>(*stream), decoded_whole("vorbis", file));
}

// Cut out of a longer one: its first page has a position.
TEST(a_sound_stream, begins_with_the_first_frame_of_a_song_that_was_cut_out) {
  for (const format_of_songs& format : song_formats()) {
    if (format.name != std::string_view("vorbis") && format.name != std::string_view("opus")) {
      continue;
    }
    const bytes file = format.make({});
    const bytes moved = with_positions_less_from(file, 2, 0u - 1'000'000u);
    stage songs(file);
    stage later(moved);
    sound_stream plain = songs.open({.samples = sound_samples::int16});
    sound_stream stream = later.open({.samples = sound_samples::int16});
    EXPECT_EQ(stream.length(), plain.length()) << format.name;
    EXPECT_EQ(play<std::int16_t>(stream), play<std::int16_t>(plain)) << format.name;
    stream.seek(30'000);
    plain.seek(30'000);
    EXPECT_EQ(play<std::int16_t>(stream), play<std::int16_t>(plain)) << format.name;
    EXPECT_EQ(stream.status().damages, 0u);
  }
}

TEST(a_sound_stream, refuses_what_is_no_song_and_says_what_it_wants) {
  stage text(byte_writer{}.text("just some text, and no sound at all").content);
  const result<sound_stream> none = text.try_open();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, errc::unsupported);
  EXPECT_STREQ(none.error().reason,
               "not a sound that can be streamed: Vorbis, Opus, FLAC, MP3 or WAV");
  stage empty(bytes{});
  EXPECT_EQ(empty.try_open().error().code, errc::unsupported);
  EXPECT_EQ(text.try_open({}, "missing"_path).error().code, errc::not_found);
}

TEST(a_sound_stream, refuses_a_wav_that_is_not_plain) {
  bytes law = wav_song({.frames = 10});
  law[20] = std::byte{6};  // A-law
  EXPECT_EQ(stage(law).try_open().error().code, errc::unsupported);
  bytes many = wav_song({.frames = 10});
  many[22] = std::byte{9};  // channels
  EXPECT_EQ(stage(many).try_open().error().code, errc::limit);
}

}  // namespace
}  // namespace overture::formats_test
