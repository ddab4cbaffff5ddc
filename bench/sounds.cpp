// SPDX-License-Identifier: Zlib
//
// Streamed music: five minutes of Vorbis, loose, stored and deflated. What it costs to decode,
// compared with a loop of libvorbisfile over the loose file in the same run; how soon the first
// samples are there; and the memory that it takes.
#include <fmt/format.h>
#include <malloc.h>
#include <vorbis/vorbisfile.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <overture/archives/zip_builder.hpp>
#include <overture/base/replace_file.hpp>
#include <overture/io/pack.hpp>
#include <overture/io/unpack.hpp>
#include <overture/sounds/sound_stream.hpp>
#include <overture/vfs/file_system.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "harness.hpp"
#include "options.hpp"
#include "sounds_song.hpp"
#include "vfs_tools.hpp"

namespace bench {
namespace {

using namespace overture;

struct kind_of_file {
  const char* name;
  asset_path path;
};

void require(const result<void>& done) {
  if (!done) throw std::runtime_error(done.error().reason);
}

void save_archive(const std::string& path, const std::string& song) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(song));
  packer pack;
  std::vector<std::byte> packed(packer::packed_bytes_max(compression::deflate, bytes.size()));
  const result<std::size_t> count = pack.pack(compression::deflate, bytes, packed);
  if (!count) throw std::runtime_error(count.error().reason);
  require(replace_file(system_os(), path.c_str(), [&](os_handle file) -> result<void> {
    zip_builder zip(system_os(), file);
    return zip.begin({.name = "stored.ogg", .bytes = bytes.size()})
        .and_then([&] { return zip.write(bytes); })
        .and_then([&] { return zip.end(crc32(bytes)); })
        .and_then([&] {
          return zip.begin(
              {.name = "deflated.ogg", .method = compression::deflate, .bytes = bytes.size()});
        })
        .and_then([&] { return zip.write(std::span(packed).first(*count)); })
        .and_then([&] { return zip.end(crc32(bytes)); })
        .and_then([&] { return zip.finish(); });
  }));
}

// What a game does with libvorbisfile alone.
std::uint64_t plain_loop(const std::string& path) {
  OggVorbis_File file;
  if (ov_fopen(path.c_str(), &file) != 0) throw std::runtime_error("cannot open " + path);
  std::array<char, 4096> block;
  std::uint64_t sum = 0;
  int section = 0;
  for (;;) {
    const long got =
        ov_read(&file, block.data(), static_cast<int>(block.size()), 0, 2, 1, &section);
    if (got <= 0) break;
    sum += static_cast<std::uint64_t>(got);
  }
  ov_clear(&file);
  return sum;
}

sound_stream opened(file_system& files, asset_path path, const sound_stream_config& config) {
  result<sound_stream> stream = sound_stream::open(files, path, config);
  if (!stream) throw std::runtime_error(stream.error().reason);
  return *std::move(stream);
}

std::uint64_t our_loop(file_system& files, asset_path path) {
  sound_stream stream = opened(files, path, {.samples = sound_samples::int16});
  std::array<std::int16_t, 2048> block;
  std::uint64_t sum = 0;
  while (!stream.ended()) {
    stream.decode();
    sum += stream.read(std::span(block)) * stream.channels() * sizeof(std::int16_t);
  }
  return sum;
}

// A mixer that asks for a block whenever there is one.
std::uint64_t loop_with_thread(file_system& files, asset_path path, sound_thread& thread) {
  sound_stream stream = opened(files, path, {.thread = &thread, .samples = sound_samples::int16});
  std::array<std::int16_t, 2048> block;
  std::uint64_t sum = 0;
  while (!stream.ended()) {
    const std::size_t got = stream.read(std::span(block));
    sum += got * stream.channels() * sizeof(std::int16_t);
    if (got == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return sum;
}

void measure_decoding(results& out, int rounds, file_system& files, const std::string& loose,
                      std::span<const kind_of_file> kinds) {
  const std::uint64_t bytes = plain_loop(loose);
  const auto expect = [bytes](std::uint64_t got) {
    if (got != bytes) throw std::runtime_error("a stream that is longer or shorter than the song");
  };
  sound_thread thread;
  std::vector<variant> variants;
  variants.push_back({"libvorbisfile", [&] { expect(plain_loop(loose)); }});
  for (const kind_of_file& kind : kinds) {
    variants.push_back({kind.name, [&, path = kind.path] { expect(our_loop(files, path)); }});
  }
  variants.push_back(
      {"loose, by a thread", [&] { expect(loop_with_thread(files, kinds[0].path, thread)); }});
  interleave(variants, rounds, "decoding");
  out.metric("five minutes by libvorbisfile, ms of a processor",
             time_of(variants[0], clock::cpu).median * 1e3);
  for (std::size_t i = 1; i < variants.size(); ++i) {
    const spread times = ratio(variants[i], variants[0], clock::cpu);
    const char* const than = "processor time, x libvorbisfile, loose";
    // The last one has the sleeps of a reader in it that is faster than any player.
    if (i + 1 == variants.size()) {
      out.metric(fmt::format("{}: {}", variants[i].name, than), times.median);
    } else {
      out.goal(fmt::format("decoding, {}: {}", variants[i].name, than), times, 1.05);
    }
  }
}

void measure_first_samples(results& out, int rounds, file_system& files,
                           std::span<const kind_of_file> kinds) {
  for (const kind_of_file& kind : kinds) {
    std::vector<double> times;
    for (int i = 0; i < rounds * 4; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      sound_stream stream = opened(files, kind.path, {});
      std::array<float, 1024> block;
      if (stream.read(std::span(block)) != 512) throw std::runtime_error("no first samples");
      const std::chrono::duration<double, std::milli> took =
          std::chrono::steady_clock::now() - begin;
      times.push_back(took.count());
    }
    out.goal(fmt::format("first samples, {}, ms", kind.name), spread_of(times), 5);
  }
}

std::size_t heap_bytes() {
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

// Plays some, seeks about, and looks at the heap after each piece.
void measure_memory(results& out, file_system& files, std::span<const kind_of_file> kinds) {
  for (const kind_of_file& kind : kinds) {
    const std::size_t before = heap_bytes();
    std::size_t peak = 0;
    sound_stream stream = opened(files, kind.path, {});
    std::vector<float> block(2048);
    std::mt19937 random(1);
    for (int seek = 0; seek < 50; ++seek) {
      for (int piece = 0; piece < 40; ++piece) {
        stream.decode(1);
        peak = std::max(peak, heap_bytes() - std::min(before, heap_bytes()));
        (void)stream.read(std::span(block));
      }
      stream.seek(random() % 13'230'000);
    }
    const double mib = static_cast<double>(peak) / (1u << 20);
    out.goal(fmt::format("memory, {}, MiB", kind.name), {mib, mib, mib}, 2);
  }
}

void measure(results& out, int rounds, const std::vector<std::string>& only,
             const std::string& given) {
  const folder_of_its_own folder;
  const std::string song = given.empty() ? five_minutes_of_vorbis() : given;
  std::filesystem::create_directory(folder / "loose");
  const std::string loose = folder.write("loose/loose.ogg", song);
  save_archive(folder / "songs.zip", song);
  file_system files;
  for (const std::string& mount : {folder / "loose", folder / "songs.zip"}) {
    if (const result<mount_id> done = files.mount(mount.c_str()); !done) {
      throw std::runtime_error(done.error().reason);
    }
  }
  using namespace literals;
  const std::array kinds = {kind_of_file{"loose", "loose.ogg"_path},
                            kind_of_file{"stored", "stored.ogg"_path},
                            kind_of_file{"deflated", "deflated.ogg"_path}};
  out.metric("the song, MiB", static_cast<double>(song.size()) / (1u << 20));
  if (is_wanted(only, "memory")) measure_memory(out, files, kinds);
  if (is_wanted(only, "first")) measure_first_samples(out, rounds, files, kinds);
  if (is_wanted(only, "decode")) measure_decoding(out, rounds, files, loose, kinds);
}

}  // namespace
}  // namespace bench

int main(int count, char** words) {
  int rounds = 9;
  std::string json;
  std::string song;
  std::vector<std::string> only;
  bench::options line("Measures music that is streamed", rounds, json);
  line.word("--song", song, "an Ogg Vorbis file to take instead of five minutes of noise");
  line.words("--only", only, "measure only these parts", {"decode", "first", "memory"});
  if (const std::optional<int> over = line.parse(count, words)) return *over;
  bench::results out("sounds");
  std::string given;
  if (!song.empty()) {
    std::ifstream in(song, std::ios::binary);
    given.assign(std::istreambuf_iterator<char>(in), {});
  }
  bench::measure(out, rounds, only, given);
  return out.finish(json);
}
