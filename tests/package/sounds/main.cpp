// SPDX-License-Identifier: Zlib
//
// Streams a WAV that it makes itself, from memory.
#include <overture/sounds/sound_stream.hpp>
#include <overture/vfs/file_system.hpp>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace {

// 1,000 frames of one channel, each with its number.
std::string wav() {
  std::string file(
      "RIFF\xF4\7\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x44\xAC\0\0\x88\x58\1\0\2\0\x10\0data\xD0\7\0\0",
      44);
  for (int frame = 0; frame < 1000; ++frame) {
    file += static_cast<char>(frame & 255);
    file += static_cast<char>(frame >> 8);
  }
  return file;
}

}  // namespace

int main() {
  using namespace overture;
  using namespace overture::literals;
  std::ofstream("song.wav", std::ios::binary) << wav();
  file_system files;
  if (!files.mount(".")) return 2;
  sound_thread sounds;
  result<sound_stream> song = sound_stream::open(files, "song.wav"_path, {.thread = &sounds});
  if (!song) return 3;
  std::vector<std::int16_t> frames(1000);
  const std::size_t got = song->read(std::span(frames));
  std::printf("%zu frames of %s\n", got, song->format());
  if (sound_stream::open(files, "main.cpp"_path)) return 4;
  return got == 1000 && frames[999] == 999 ? 0 : 1;
}
