// SPDX-License-Identifier: Zlib
#include "decoders/mpeg_frames.hpp"

#include <gtest/gtest.h>

#include "decoders/damage.hpp"

namespace overture::mpeg_frames_test {
namespace {

using namespace decoders_detail;

using namespace test;

mpeg_frame parsed(unsigned second, unsigned third, unsigned fourth) {
  return parse_mpeg_frame(byte_writer{}.u8(0xFF).u8(second).u8(third).u8(fourth).content);
}

// The lengths are those that encoders write.
TEST(mpeg_frames, have_the_length_that_their_rates_imply) {
  EXPECT_EQ(parsed(0xFB, 0x90, 0).bytes, 417u) << "128 kbit/s, 44,100 Hz";
  EXPECT_EQ(parsed(0xFB, 0x92, 0).bytes, 418u) << "padded";
  EXPECT_EQ(parsed(0xFB, 0xE4, 0).bytes, 960u) << "320 kbit/s, 48,000 Hz";
  EXPECT_EQ(parsed(0xF3, 0x80, 0).bytes, 208u) << "MPEG 2: 64 kbit/s, 22,050 Hz";
  EXPECT_EQ(parsed(0xE3, 0x80, 0).bytes, 417u) << "MPEG 2.5: 64 kbit/s, 11,025 Hz";
  EXPECT_EQ(parsed(0xFB, 0x90, 0).samples, 1152u);
  EXPECT_EQ(parsed(0xF3, 0x80, 0).samples, 576u);
  EXPECT_EQ(parsed(0xFB, 0x90, 0).channels, 2u);
  EXPECT_EQ(parsed(0xFB, 0x90, 0xC0).channels, 1u);
}

TEST(mpeg_frames, are_of_layer_three_only) {
  EXPECT_EQ(parsed(0xFD, 0x90, 0).bytes, 0u) << "layer II";
  EXPECT_EQ(parsed(0xEB, 0x90, 0).bytes, 0u) << "no version";
  EXPECT_EQ(parsed(0xFB, 0x00, 0).bytes, 0u) << "free rate";
  EXPECT_EQ(parsed(0xFB, 0xF0, 0).bytes, 0u);
  EXPECT_EQ(parsed(0xFB, 0x9C, 0).bytes, 0u) << "no frequency";
  EXPECT_EQ(parsed(0xDB, 0x90, 0).bytes, 0u) << "no mark";
}

TEST(mpeg_frames, end_where_other_bytes_begin) {
  const bytes frame = byte_writer{}.u8(0xFF).u8(0xFB).u8(0x90).u8(0).text("", 413).content;
  byte_writer file;
  file.append(frame).append(frame);
  EXPECT_EQ(count_mpeg_frames(file.content).frames, 2u);
  EXPECT_EQ(count_mpeg_frames(file.content).samples, 2304u);
  EXPECT_FALSE(count_mpeg_frames(file.content).last_is_cut);
  const bytes tagged = byte_writer{}.append(file.content).text("TAG").append(frame).content;
  EXPECT_EQ(count_mpeg_frames(tagged).frames, 2u);
  EXPECT_TRUE(count_mpeg_frames(std::span(file.content).first(800)).last_is_cut);
  EXPECT_EQ(count_mpeg_frames(std::span(file.content).first(800)).frames, 1u);
  EXPECT_EQ(count_mpeg_frames({}).frames, 0u);
}

TEST(mpeg_frames, come_after_a_tag_of_seven_bits_a_byte) {
  EXPECT_EQ(
      id3_bytes(
          byte_writer{}.text("ID3").u8(4).u16(0).u8(0).u8(0).u8(1).u8(2).text("", 200).content),
      10u + 128 + 2);
  EXPECT_EQ(id3_bytes(byte_writer{}.text("ID3").u8(4).u16(0).u32(0x7F7F7F7F).content), 10u);
  EXPECT_EQ(id3_bytes(byte_writer{}.text("TAG").text("", 20).content), 0u);
}

}  // namespace
}  // namespace overture::mpeg_frames_test
