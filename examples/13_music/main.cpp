// SPDX-License-Identifier: Zlib
//
// Streams a song from a folder or an archive.
//
//   example_13_music                               a song that it makes itself, with a loop
//   example_13_music data.zip music/theme.ogg      ten seconds of that song
//
// It plays through no device: it listens, and prints how loud each half second is.
#include <overture/overture.hpp>
#include <overture/sounds/sound_stream.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int rate = 22'050;

// Two seconds that fade in, and then two that swell and fade: the loop.
void write_song(const std::filesystem::path& path) {
  constexpr std::uint32_t frames = 4 * rate;
  std::string file;
  const auto put = [&file](std::uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) file += static_cast<char>(value >> 8 * i & 255);
  };
  file += "RIFF";
  put(36 + 2 * frames, 4);
  file += "WAVEfmt ";
  put(16, 4), put(1, 2), put(1, 2), put(rate, 4), put(2 * rate, 4), put(2, 2), put(16, 2);
  file += "data";
  put(2 * frames, 4);
  for (std::uint32_t frame = 0; frame < frames; ++frame) {
    const double time = static_cast<double>(frame) / rate;
    const double volume = time < 2 ? time / 4 : 0.5 - 0.3 * std::cos(3.14159265 * (time - 2));
    const double sample = volume * std::sin(6.2831853 * 220 * time);
    put(static_cast<std::uint32_t>(static_cast<std::int32_t>(sample * 32767)), 2);
  }
  std::ofstream(path, std::ios::binary) << file;
}

int report(const overture::file_system& files, const overture::error& failure) {
  char sentence[512];
  files.explain(failure, sentence);
  std::fprintf(stderr, "%s\n", sentence);
  return 1;
}

// What an audio callback does, with a meter for a device. Returns whether the song has ended.
bool listen(overture::sound_stream& music, std::vector<float>& buffer) {
  for (std::span<float> rest = buffer; !rest.empty() && !music.ended();) {
    const std::size_t got = music.read(rest);
    rest = rest.subspan(got * music.channels());
    if (got == 0) std::this_thread::yield();  // a device would play silence
  }
  float loudest = 0;
  for (const float sample : buffer) loudest = std::max(loudest, std::abs(sample));
  const double seconds = static_cast<double>(music.position()) / music.sample_rate();
  std::printf("%7.2f s  %-40s %llu\n", seconds,
              std::string(static_cast<std::size_t>(loudest * 40), '#').c_str(),
              static_cast<unsigned long long>(music.loops()));
  return music.ended();
}

}  // namespace

int main(int count, char** arguments) {
  using namespace overture;
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "overture_music";
  const bool makes_song = count < 3;
  if (makes_song) {
    std::filesystem::create_directory(folder);
    write_song(folder / "song.wav");
  }
  file_system files;
  const std::string mounted = makes_song ? folder.string() : arguments[1];
  if (auto mount = files.mount(mounted.c_str()); !mount) return report(files, mount.error());
  path_buffer room;
  const result<asset_path> path = normalise(makes_song ? "song.wav" : arguments[2], room);
  if (!path) return report(files, path.error());

  sound_thread sounds;
  sound_stream_config config{.thread = &sounds};
  if (makes_song) config.repeat = sound_repeat::always, config.loop_begin = std::uint64_t{2} * rate;
  result<sound_stream> music = sound_stream::open(files, *path, config);
  if (!music) return report(files, music.error());
  std::printf("%s, %u Hz, %u channels%s\n", music->format(), music->sample_rate(),
              music->channels(), music->loop().is_set ? ", loops" : "");
  std::vector<float> buffer(std::size_t{music->sample_rate()} / 2 * music->channels());
  for (int half_second = 0; half_second < 20; ++half_second) {
    if (listen(*music, buffer)) break;
  }
  if (const sound_status status = music->status(); status.damages != 0) {
    return report(files, status.first);
  }
  if (makes_song) std::filesystem::remove_all(folder);
  return 0;
}
