// SPDX-License-Identifier: Zlib
#include "decoders/adpcm.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "decoders/damage.hpp"

namespace overture::adpcm_test {
namespace {

using namespace decoders_detail;

using namespace test;

TEST(adpcm, counts_the_frames_of_whole_and_of_short_blocks) {
  EXPECT_EQ(ima_adpcm.frames_in(3, 1), 0u);
  EXPECT_EQ(ima_adpcm.frames_in(4, 1), 1u);
  EXPECT_EQ(ima_adpcm.frames_in(7, 1), 1u) << "part of a word";
  EXPECT_EQ(ima_adpcm.frames_in(256, 1), 505u);
  EXPECT_EQ(ima_adpcm.frames_in(2048, 2), 2041u);
  EXPECT_EQ(ms_adpcm.frames_in(6, 1), 0u);
  EXPECT_EQ(ms_adpcm.frames_in(7, 1), 2u);
  EXPECT_EQ(ms_adpcm.frames_in(256, 1), 500u);
  EXPECT_EQ(ms_adpcm.frames_in(13, 2), 0u);
  EXPECT_EQ(ms_adpcm.frames_in(1024, 2), 1012u);
}

TEST(adpcm, writes_no_more_frames_than_asked_for) {
  const bytes block = byte_writer{}.u8(0).u16(16).u16(2).u16(1).text("", 20).content;
  for (const std::uint64_t frames : {1u, 2u, 3u, 10u}) {
    std::array<std::int16_t, 16> to;
    to.fill(99);
    ASSERT_TRUE(ms_adpcm.unpack(block.data(), 1, frames, to.data()));
    EXPECT_EQ(to[0], 1);
    EXPECT_EQ(to[frames], 99) << frames;
  }
}

// The steps of Microsoft's method grow threefold with each large code, without a bound of its own.
TEST(adpcm, clamps_samples_and_steps) {
  const bytes block = byte_writer{}.u8(1).u16(0x7FFF).u16(0).u16(0).text("", 0).content;
  bytes codes = block;
  codes.insert(codes.end(), 500, std::byte{0x78});
  const std::uint64_t frames = ms_adpcm.frames_in(codes.size(), 1);
  std::vector<std::int16_t> to(frames);
  ASSERT_TRUE(ms_adpcm.unpack(codes.data(), 1, frames, to.data()));
  EXPECT_EQ(to[2], 32767);
  EXPECT_EQ(to.back(), -32768);
}

}  // namespace
}  // namespace overture::adpcm_test
