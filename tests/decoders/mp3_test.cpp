// SPDX-License-Identifier: Zlib
//
// Built only where libmpg123 is, like the decoder. The files are made by hand: a frame of zeros is
// silence.
#if __has_include(<mpg123.h>)

#include <gtest/gtest.h>

#include <algorithm>

#include "decoders/damage.hpp"
#include "decoders/table.hpp"

namespace overture::mp3_test {
namespace {

using namespace decoders_detail;

using namespace test;

const decoder& mp3() {
  return *mp3_decoder();
}

result<decoded_asset> decode(const bytes& file) {
  return mp3().decode(file, default_allocator());
}

// 128 kbit/s, 44,100 Hz, stereo, MPEG 1: 417 bytes for 1,152 samples.
constexpr std::size_t frame_bytes = 417;

bytes frame() {
  return byte_writer{}.u8(0xFF).u8(0xFB).u8(0x90).u8(0x00).text("", frame_bytes - 4).content;
}

bytes silence(std::size_t frames) {
  byte_writer file;
  for (std::size_t i = 0; i < frames; ++i) file.append(frame());
  return file.content;
}

// The header that encoders put in a frame of its own: how many follow.
bytes stated(unsigned frames) {
  return byte_writer{}
      .u8(0xFF)
      .u8(0xFB)
      .u8(0x90)
      .u8(0x00)
      .text("", 32)
      .text("Xing")
      .u8(0)
      .u8(0)
      .u8(0)
      .u8(1)
      .u8(0)
      .u8(0)
      .u8(frames >> 8)
      .u8(frames)
      .text("", frame_bytes - 4 - 32 - 12)
      .content;
}

bytes joined(const bytes& first, const bytes& second) {
  return byte_writer{}.append(first).append(second).content;
}

TEST(mp3_decoder, decodes_every_frame) {
  const result<decoded_asset> sound = decode(silence(20));
  ASSERT_TRUE(sound) << sound.error().reason;
  EXPECT_EQ(sound->kind(), asset_kind::sound);
  EXPECT_EQ(sound->channels, 2u);
  EXPECT_EQ(sound->sample_rate, 44'100u);
  EXPECT_EQ(sound->frames, 20u * 1152);
  EXPECT_EQ(sound->warning, nullptr);
  const auto samples = content<std::int16_t>(*sound);
  EXPECT_TRUE(std::ranges::all_of(samples, [](int each) { return each == 0; }));
}

TEST(mp3_decoder, accepts_by_tag_or_by_two_frames_or_by_name) {
  EXPECT_TRUE(mp3().accepts("music.bin", silence(2)));
  const bytes tag = byte_writer{}.text("ID3").u8(4).u16(0).u32(0x0A000000).text("", 10).content;
  EXPECT_TRUE(mp3().accepts("music.bin", joined(tag, frame())));
  EXPECT_FALSE(mp3().accepts("music.bin", joined(tag, byte_writer{}.text("fLaC").content)));
  EXPECT_TRUE(mp3().accepts("music.MP3", {}));
  EXPECT_FALSE(mp3().accepts("music.bin", byte_writer{}.u8(0xFF).u8(0xFB).text("", 900).content));
}

TEST(mp3_decoder, skips_tags) {
  const bytes tag = byte_writer{}.text("ID3").u8(4).u16(0).u32(0x0A000000).text("", 10).content;
  EXPECT_EQ(decode(joined(tag, silence(5)))->frames, 5u * 1152);
  const bytes end = byte_writer{}.text("TAG").text("title", 125).content;
  EXPECT_EQ(decode(joined(silence(5), end))->frames, 5u * 1152);
}

bytes tag_frame(const char* id, const bytes& content) {
  return byte_writer{}
      .text(id)
      .u8(content.size() >> 24)
      .u8(content.size() >> 16)
      .u8(content.size() >> 8)
      .u8(content.size())
      .u16(0)
      .append(content)
      .content;
}

// ID3v2.3: its size has 7 bits in each byte.
bytes tag_of(const bytes& frames) {
  return byte_writer{}
      .text("ID3")
      .u8(3)
      .u16(0)
      .u8(frames.size() >> 21 & 0x7F)
      .u8(frames.size() >> 14 & 0x7F)
      .u8(frames.size() >> 7 & 0x7F)
      .u8(frames.size() & 0x7F)
      .append(frames)
      .content;
}

// libmpg123 1.31 built by CMake for Windows never returned from these.
TEST(mp3_decoder, does_not_read_comments_and_gains) {
  const bytes comment = byte_writer{}.u8(0).text("eng").text("rva", 4).text("-6").content;
  const bytes gain = byte_writer{}.u8(0).text("replaygain_track_peak", 22).text("0.5").content;
  const bytes tag = tag_of(joined(tag_frame("COMM", comment), tag_frame("TXXX", gain)));
  const result<decoded_asset> sound = decode(joined(tag, silence(5)));
  ASSERT_TRUE(sound) << sound.error().reason;
  EXPECT_EQ(sound->frames, 5u * 1152);
}

TEST(mp3_decoder, needs_no_memory_for_pictures) {
  const bytes picture = byte_writer{}.u8(0).text("image/png", 10).u8(3).u8(0).content;
  const bytes file =
      joined(tag_of(tag_frame("APIC", joined(picture, bytes(4u << 20)))), silence(5));
  EXPECT_EQ(mp3().memory_needed(file), mp3().memory_needed(silence(5)));
  EXPECT_EQ(decode(file)->frames, 5u * 1152);
}

TEST(mp3_decoder, warns_of_a_last_frame_that_is_cut) {
  bytes file = silence(6);
  file.resize(file.size() - 100);
  const result<decoded_asset> sound = decode(file);
  ASSERT_TRUE(sound) << sound.error().reason;
  EXPECT_STREQ(sound->warning, "the last frame of the MP3 file is cut");
  EXPECT_GE(sound->frames, 5u * 1152);
}

TEST(mp3_decoder, reports_a_file_with_fewer_frames_than_it_states) {
  EXPECT_EQ(outcome(decode(joined(stated(9), silence(9)))), "ok");
  EXPECT_EQ(outcome(decode(joined(stated(10), silence(9)))), "ok") << "counts itself";
  EXPECT_EQ(outcome(decode(joined(stated(12), silence(9)))), "corrupt");
}

TEST(mp3_decoder, rejects_what_has_no_frames) {
  EXPECT_EQ(outcome(decode({})), "corrupt");
  EXPECT_EQ(outcome(decode(bytes(5000))), "corrupt");
}

TEST(mp3_decoder, survives_cut_files_and_flipped_bits) {
  const bytes file = joined(stated(3), silence(3));
  decode_each_cut(mp3(), file, [](std::size_t, const auto&) {});
  decode_flipped(mp3(), file, 1000);
}

TEST(mp3_decoder, states_the_memory_it_needs_from_the_headers_alone) {
  const std::uint64_t samples = std::uint64_t{100} * 1152 * 4;
  EXPECT_GE(mp3().memory_needed(silence(100)), samples);
  EXPECT_LE(mp3().memory_needed(silence(100)), samples + (1u << 20));
  const bytes file = silence(2);
  for (std::size_t size = 0; size < file.size(); ++size) {
    (void)mp3().memory_needed(std::span(file).first(size));
  }
}

TEST(mp3_decoder, reports_refused_memory) {
  expect_refusals(mp3(), silence(4));
}

}  // namespace
}  // namespace overture::mp3_test

#endif
