// SPDX-License-Identifier: Zlib
//
// What a stream takes of the heap, codecs included, as glibc counts it. A sanitizer has a heap of
// its own.
#include <gtest/gtest.h>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <malloc.h>
#include <ogg/ogg.h>

#include "base/little_endian.hpp"
#include "decoders/ogg_pages.hpp"

#include "sounds/stage.hpp"
#include "support/temp_folder.hpp"

namespace overture::memory_linux_test {
namespace {

using namespace test;

std::size_t heap_bytes() {
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

// Ten seconds, thirty times. Narrow, because writing it takes longer than all else.
bytes long_wav() {
  const bytes once = wav_song({.channels = 1, .frames = 441'000, .bits = 8});
  const std::size_t data_at = 44;
  bytes song(once.begin(), once.begin() + data_at);
  for (int i = 0; i < 30; ++i) song.insert(song.end(), once.begin() + data_at, once.end());
  put_u32(song, 40, song.size() - data_at);
  return song;
}

// The pages of a song again and again, with numbers and positions that go on.
bytes long_ogg(const bytes& song, std::size_t header_pages, std::size_t times) {
  std::vector<bytes> pages;
  for_each_page(song, [&](std::size_t, const bytes& page) { pages.push_back(page); });
  pages.pop_back();  // ends the stream
  bytes file;
  std::uint32_t number = 0;
  std::uint64_t before = 0;
  for (std::size_t round = 0; round < times; ++round) {
    std::uint64_t last = 0;
    for (std::size_t i = round == 0 ? 0 : header_pages; i < pages.size(); ++i) {
      bytes page = pages[i];
      const std::uint64_t granule = base_detail::load_u64(page.data() + 6);
      if (i >= header_pages) last = granule;
      put_u32(page, 18, number++);
      put_u32(page, 6, granule + (i < header_pages ? 0 : before));
      auto* const header = reinterpret_cast<unsigned char*>(page.data());
      const long header_bytes = 27 + header[26];
      ogg_page sealed{header, header_bytes, header + header_bytes,
                      static_cast<long>(page.size()) - header_bytes};
      ogg_page_checksum_set(&sealed);
      file.insert(file.end(), page.begin(), page.end());
    }
    before += last;
  }
  return file;
}

std::size_t peak_of(file_system& files, asset_path path) {
  const std::size_t before = heap_bytes();
  std::size_t peak = 0;
  const auto look = [&] { peak = std::max(peak, heap_bytes() - std::min(before, heap_bytes())); };
  result<sound_stream> stream = sound_stream::open(files, path);
  EXPECT_TRUE(stream) << stream.error().reason;
  if (!stream) return 0;
  look();
  (void)stream->length();  // of a packed song: with the next piece
  std::vector<float> block(2 * 16'384);
  for (int i = 0; i < 16; ++i) {
    stream->decode();
    look();
    (void)stream->read(std::span(block));
    if (i % 4 == 3) stream->seek(static_cast<std::uint64_t>(i) * 800'000);
  }
  for (const std::uint64_t place : {std::uint64_t{13'000'000}, std::uint64_t{100}}) {
    stream->seek(place);
    (void)stream->read(std::span(block));
    stream->decode();
    look();
  }
  EXPECT_GT(stream->length(), 12'000'000u);
  EXPECT_FALSE(stream->status().stopped) << stream->status().first.reason;
  return peak;
}

TEST(five_minutes_of_sound, take_less_than_two_mebibytes) {
  const temp_folder folder;
  const auto song = [](const bytes& file) {
    return std::string(reinterpret_cast<const char*>(file.data()), file.size());
  };
  const std::string vorbis = song(long_ogg(vorbis_song({.frames = 441'000}), 2, 31));
  const std::string opus = song(long_ogg(opus_song({.frames = 441'000}), 2, 31));
  const std::string wav = song(long_wav());
  zip_writer zip;
  for (const auto& [name, content] : {std::pair<std::string, const std::string&>("vorbis", vorbis),
                                      {"opus", opus},
                                      {"wav", wav}}) {
    folder.write("loose/" + name, content);
    zip.add({.name = "stored_" + name, .data = content});
    zip.add({.name = "packed_" + name, .data = content, .method = zip_deflated});
  }
  zip.save(folder.path() / "songs.zip");
  file_system files;
  ASSERT_TRUE(files.mount((folder / "loose").c_str()));
  ASSERT_TRUE(files.mount((folder / "songs.zip").c_str()));
  for (const char* name : {"vorbis", "opus", "wav"}) {
    for (const char* kind : {"", "stored_", "packed_"}) {
      path_buffer room;
      const std::string text = std::string(kind) + name;
      const std::size_t peak = peak_of(files, *normalise(text, room));
      EXPECT_LT(peak, std::size_t{2} << 20) << text;
      RecordProperty(text, std::to_string(peak));
    }
  }
}

}  // namespace
}  // namespace overture::memory_linux_test

#endif
