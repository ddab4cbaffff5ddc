// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include <cmath>

#include "decoders/damage.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"

namespace overture::hdr_test {
namespace {

using namespace decoders_detail;

using namespace test;

bytes make_hdr(const std::string& size, const bytes& rows, const std::string& lines = "") {
  return byte_writer{}.text("#?RADIANCE\n" + lines + "\n" + size + "\n").append(rows).content;
}

result<decoded_asset> decode(const bytes& file) {
  return hdr_decoder().decode(file, default_allocator());
}

using floats = std::vector<float>;

floats decoded(const bytes& file) {
  const result<decoded_asset> texture = decode(file);
  if (!texture) {
    ADD_FAILURE() << texture.error().reason;
    return {};
  }
  EXPECT_EQ(texture->kind(), asset_kind::texture);
  EXPECT_EQ(texture->format, texture_format::rgba32_float);
  EXPECT_EQ(texture->depth * texture->levels * texture->layers, 1u);
  return content<float>(*texture);
}

bytes pixel(unsigned r, unsigned g, unsigned b, unsigned e) {
  return byte_writer{}.u8(r).u8(g).u8(b).u8(e).content;
}

TEST(hdr_decoder, decodes_pixels_with_their_shared_exponent) {
  const bytes rows = byte_writer{}
                         .append(pixel(128, 64, 0, 129))
                         .append(pixel(255, 1, 2, 0))
                         .append(pixel(128, 0, 255, 136))
                         .append(pixel(1, 0, 0, 1))
                         .content;
  EXPECT_EQ(decoded(make_hdr("-Y 2 +X 2", rows, "FORMAT=32-bit_rle_rgbe\nEXPOSURE=2\n")),
            (floats{1, 0.5f, 0, 1, 0, 0, 0, 1, 128, 0, 255, 1, std::ldexp(1.0f, -135), 0, 0, 1}));
  const result<decoded_asset> texture = decode(make_hdr("-Y 1 +X 4", rows));
  ASSERT_TRUE(texture);
  EXPECT_EQ(texture->width, 4u);
  EXPECT_EQ(texture->height, 1u);
}

TEST(hdr_decoder, turns_rows_that_run_upwards) {
  const bytes rows = byte_writer{}.append(pixel(1, 0, 0, 136)).append(pixel(2, 0, 0, 136)).content;
  EXPECT_EQ(decoded(make_hdr("+Y 2 +X 1", rows)), (floats{2, 0, 0, 1, 1, 0, 0, 1}));
}

TEST(hdr_decoder, repeats_pixels) {
  const bytes rows = byte_writer{}
                         .append(pixel(3, 0, 0, 136))
                         .append(pixel(1, 1, 1, 2))
                         .append(pixel(4, 0, 0, 136))
                         .content;
  EXPECT_EQ(decoded(make_hdr("-Y 1 +X 4", rows)),
            (floats{3, 0, 0, 1, 3, 0, 0, 1, 3, 0, 0, 1, 4, 0, 0, 1}));
  // A second mark counts 256 each.
  byte_writer many;
  many.append(pixel(5, 0, 0, 136)).append(pixel(1, 1, 1, 1)).append(pixel(1, 1, 1, 1));
  const floats row = decoded(make_hdr("-Y 1 +X 258", many.content));
  EXPECT_EQ(row.size(), 258u * 4);
  EXPECT_EQ(row[257 * 4], 5);
}

// A row of ten pixels: one repeats, the others differ.
bytes packed_rows(int rows) {
  byte_writer file;
  for (int row = 0; row < rows; ++row) {
    file.u8(2).u8(2).u8(0).u8(10);
    file.u8(128 + 10).u8(7);
    file.u8(3).u8(1).u8(2).u8(3).u8(128 + 7).u8(9);
    file.u8(128 + 5).u8(0).u8(128 + 5).u8(4);
    file.u8(10).text("\x88\x88\x88\x88\x88\x88\x88\x88\x88\x88");
  }
  return file.content;
}

TEST(hdr_decoder, decodes_packed_rows_channel_by_channel) {
  const floats rows = decoded(make_hdr("-Y 2 +X 10", packed_rows(2)));
  ASSERT_EQ(rows.size(), 80u);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(rows[i * 4], 7);
    EXPECT_EQ(rows[i * 4 + 1], i % 10 < 3 ? static_cast<float>(i % 10 + 1) : 9);
    EXPECT_EQ(rows[i * 4 + 2], i % 10 < 5 ? 0 : 4);
    EXPECT_EQ(rows[i * 4 + 3], 1);
  }
}

TEST(hdr_decoder, is_recognised_by_its_content_alone) {
  EXPECT_TRUE(hdr_decoder().accepts("sky", make_hdr("-Y 1 +X 1", {})));
  EXPECT_FALSE(hdr_decoder().accepts("terrain.hdr", byte_writer{}.text("ENVI\n").content));
}

TEST(hdr_decoder, rejects_what_it_does_not_read) {
  EXPECT_EQ(outcome(decode(make_hdr("-Y 1 +X 1", pixel(1, 1, 1, 1), "FORMAT=32-bit_rle_xyze\n"))),
            "unsupported");
  EXPECT_EQ(outcome(decode(make_hdr("+X 1 -Y 1", pixel(1, 1, 1, 1)))), "unsupported");
  EXPECT_EQ(outcome(decode(make_hdr("-Y 1 +X 99999", pixel(1, 1, 1, 1)))), "limit");
  EXPECT_EQ(outcome(decode(make_hdr("-Y 0 +X 1", {}))), "corrupt");
  EXPECT_EQ(outcome(decode(make_hdr("-Y 1 +X 2", pixel(1, 1, 1, 1)))), "corrupt")
      << "it repeats what is not there";
}

TEST(hdr_decoder, says_by_the_header_what_it_takes) {
  expect_memory_needed(hdr_decoder(), make_hdr("-Y 2 +X 10", packed_rows(2)));
  expect_memory_needed(hdr_decoder(), make_hdr("+Y 1 +X 1", pixel(1, 2, 3, 4), "EXPOSURE=2\n"));
  EXPECT_EQ(hdr_decoder().memory_needed(make_hdr("-Y 1 +X 99999", pixel(1, 1, 1, 1))), 0u);
  // It looks for the end of the lines, but not in all of a large file.
  const std::string endless(1u << 20, 'a');
  EXPECT_EQ(hdr_decoder().memory_needed(make_hdr("-Y 1 +X 1", pixel(1, 1, 1, 1), endless)), 0u);
}

TEST(hdr_decoder, rejects_damaged_files) {
  for (const bytes& file :
       {make_hdr("-Y 2 +X 10", packed_rows(2)), make_hdr("-Y 1 +X 1", pixel(1, 2, 3, 4))}) {
    decode_each_cut(hdr_decoder(), file,
                    [](std::size_t size, const result<decoded_asset>& texture) {
                      EXPECT_EQ(outcome(texture) == "ok", false) << size;
                    });
    decode_flipped(hdr_decoder(), file, 4000);
  }
  expect_refusals(hdr_decoder(), make_hdr("-Y 2 +X 10", packed_rows(2)));
}

}  // namespace
}  // namespace overture::hdr_test
