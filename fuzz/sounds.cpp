// SPDX-License-Identifier: Zlib
//
// Streams any bytes: opening refuses them or gives a song, which plays, is sought in and loops. All
// memory is freed, also where one allocation was refused. The bytes are the song; how it is played
// follows from them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mutators/libfuzzer.hpp"
#include "overture/base/hash.hpp"
#include "overture/io/unpack.hpp"
#include "overture/sounds/sound_stream.hpp"
#include "overture/vfs/file_system.hpp"
#include "support/failing_allocator.hpp"
#include "support/memory_file_os.hpp"

namespace {

using namespace overture;
using namespace overture::literals;

void require(bool truth) {
  if (!truth) std::abort();
}

void put(std::string& to, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> 8 * i & 255);
}

// An archive in which the bytes are the file "s", stored.
std::string archive_of(std::string_view song) {
  const std::uint32_t crc = crc32(std::as_bytes(std::span(song)));
  const auto put_common = [&](std::string& to) {
    put(to, 20, 2), put(to, 0, 4), put(to, 33u << 16, 4);
    put(to, crc, 4), put(to, song.size(), 4), put(to, song.size(), 4), put(to, 1, 2);
  };
  std::string file = "PK\3\4";
  put_common(file);
  put(file, 0, 2);
  file += 's';
  file += song;
  const std::size_t directory = file.size();
  file += "PK\1\2";
  put(file, 20, 2);
  put_common(file);
  file += std::string(16, '\0');
  file += 's';
  const std::size_t end = file.size();
  file += "PK\5\6";
  put(file, 0, 4), put(file, 1, 2), put(file, 1, 2);
  put(file, end - directory, 4), put(file, directory, 4), put(file, 0, 2);
  return file;
}

// Reads some, and looks at it, so that sanitizers find what was not written.
void play(sound_stream& stream, int reads) {
  std::vector<float> block(std::size_t{700} * stream.channels());
  volatile float sink = 0;
  for (int i = 0; i < reads && !stream.ended(); ++i) {
    stream.decode(4);
    require(stream.read(std::span(block)) <= 700);
    for (const float sample : block) sink = sample;
  }
  (void)sink;
}

void stream_song(file_system& files, const sound_stream_config& config, std::uint64_t choice) {
  result<sound_stream> stream = sound_stream::open(files, "s"_path, config);
  if (!stream) return;
  require(stream->channels() >= 1 && stream->channels() <= 8 && stream->sample_rate() != 0);
  play(*stream, 60);
  for (int i = 0; i < 4; ++i) {
    stream->seek(choice >> (8 * i) & 0xFFFF);
    play(*stream, 8);
  }
  stream->seek(UINT64_MAX);
  play(*stream, 4);
  require(stream->length() == 0 || stream->position() <= stream->length());
  if (stream->status().stopped) require(stream->status().damages != 0);
}

void stream_bytes(std::string_view song) {
  const std::uint64_t choice = hash64(song);
  const std::string archive = archive_of(song);
  memory_file_os os(archive);
  file_system files{{.os = &os}};
  require(files.mount("songs.zip").has_value());
  failing_allocator memory(choice % 4 == 0 ? choice / 4 % 16 : UINT64_MAX);
  sound_stream_config config{.ring_frames = 4096, .memory = &memory};
  if (choice % 3 == 0) config.samples = sound_samples::int16;
  if (choice % 5 < 2) config.repeat = sound_repeat::always;
  config.loop_begin = choice >> 8 & 0x3FFF;
  if ((choice & 64) != 0) config.loop_end = config.loop_begin + 1 + (choice >> 24 & 0xFFF);
  stream_song(files, config, choice);
  require(memory.live_bytes() == 0);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed) {
  using namespace overture::fuzz;
  return mutate_file({mutate_ogg}, data, size, size_max, seed, LLVMFuzzerMutate);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  stream_bytes({reinterpret_cast<const char*>(data), size});
  return 0;
}
