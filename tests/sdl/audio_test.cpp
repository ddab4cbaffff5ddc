// SPDX-License-Identifier: Zlib
#include "overture/sdl/audio.hpp"

#include <SDL.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "archives/zip/mounted_zip.hpp"

namespace overture::audio_test {
namespace {

using namespace literals;

// A WAV of two channels, whose samples are the numbers of their frames and their negatives.
std::string song(int frames) {
  std::string file("RIFF\0\0\0\0WAVEfmt \x10\0\0\0\1\0\2\0\x44\xAC\0\0\x10\xB1\2\0\4\0\x10\0data",
                   40);
  const auto put = [&file](int value, int bytes) {
    for (int i = 0; i < bytes; ++i) file += static_cast<char>(value >> 8 * i & 255);
  };
  put(4 * frames, 4);
  for (int frame = 0; frame < frames; ++frame) {
    put(frame, 2);
    put(-frame, 2);
  }
  return file;
}

class an_sdl_device : public ::testing::Test {
 protected:
  static zip_writer archive() {
    zip_writer zip;
    zip.add({.name = "song.wav", .data = song(3000)});
    return zip;
  }
  sound_stream open(const sound_stream_config& config = {}) {
    result<sound_stream> opened = sound_stream::open(tree.files, "song.wav"_path, config);
    EXPECT_TRUE(opened);
    return *std::move(opened);
  }

  mounted tree{archive()};
};

TEST_F(an_sdl_device, reads_the_stream_in_its_callback) {
  sound_stream stream = open();
  const SDL_AudioSpec spec = sdl::spec_of(stream);
  EXPECT_EQ(spec.freq, 44'100);
  EXPECT_EQ(spec.channels, 2);
  EXPECT_EQ(spec.format, AUDIO_F32SYS);
  std::vector<float> buffer(2 * 100, 9.0f);
  spec.callback(spec.userdata, reinterpret_cast<Uint8*>(buffer.data()),
                static_cast<int>(buffer.size() * sizeof(float)));
  EXPECT_EQ(buffer[198], 99 / 32768.0f);
  EXPECT_EQ(buffer[199], -99 / 32768.0f);
  EXPECT_EQ(stream.position(), 100u);
}

TEST_F(an_sdl_device, mixes_the_stream_with_what_is_there) {
  sound_stream stream = open();
  while (stream.decode()) {
  }
  std::vector<float> buffer(2 * 4000 + 1, 0.5f);
  EXPECT_EQ(sdl::mix(stream, buffer, 0.5f), 3000u);
  for (std::size_t frame = 0; frame < 3000; ++frame) {
    const float sample = static_cast<float>(frame) / 32768.0f;
    ASSERT_FLOAT_EQ(buffer[2 * frame], 0.5f + 0.5f * sample) << frame;
    ASSERT_FLOAT_EQ(buffer[2 * frame + 1], 0.5f - 0.5f * sample) << frame;
  }
  EXPECT_EQ(buffer[2 * 3000], 0.5f) << "stays as it was";
  EXPECT_EQ(buffer.back(), 0.5f);
  EXPECT_EQ(sdl::mix(stream, {}), 0u);
}

TEST_F(an_sdl_device, plays_a_song_to_its_end) {
  SDL_setenv("SDL_AUDIODRIVER", "dummy", 1);
  ASSERT_EQ(SDL_InitSubSystem(SDL_INIT_AUDIO), 0) << SDL_GetError();
  {
    sound_thread thread;
    sound_stream stream = open({.thread = &thread});
    sdl::audio_device device = sdl::play(stream, 256);
    ASSERT_TRUE(device) << SDL_GetError();
    while (!stream.ended()) std::this_thread::yield();
    EXPECT_EQ(stream.position(), 3000u);
    sdl::audio_device other = std::move(device);
    EXPECT_FALSE(device);  // NOLINT(bugprone-use-after-move): that is what is asked
    EXPECT_NE(other.id(), 0u);
  }
  SDL_QuitSubSystem(SDL_INIT_AUDIO);
}

TEST_F(an_sdl_device, that_cannot_be_opened_is_none) {
  SDL_setenv("SDL_AUDIODRIVER", "dummy", 1);
  sound_stream stream = open();
  SDL_ClearError();
  EXPECT_FALSE(sdl::play(stream)) << "SDL's audio was not begun";
  EXPECT_STRNE(SDL_GetError(), "");
}

}  // namespace
}  // namespace overture::audio_test
