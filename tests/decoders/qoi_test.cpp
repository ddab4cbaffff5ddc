// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include "decoders/damage.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"

namespace overture::qoi_test {
namespace {

using namespace decoders_detail;

using namespace test;

result<decoded_asset> decode(const bytes& file) {
  return qoi_decoder().decode(file, default_allocator());
}

using values = pixel_values;

values decoded(const bytes& file) {
  return values_of(decode(file));
}

bytes make_qoi(std::uint32_t width, std::uint32_t height, const bytes& chunks) {
  byte_writer file;
  file.text("qoif");
  for (const std::uint32_t size : {width, height}) {
    file.u8(size >> 24).u8(size >> 16).u8(size >> 8).u8(size);
  }
  return file.u8(4).u8(0).append(chunks).content;
}

bytes end_mark() {
  return byte_writer{}.text("", 7).u8(1).content;
}

// One of each chunk: four bytes, three bytes, a difference, a difference of green, a run, an index.
bytes every_chunk() {
  return byte_writer{}
      .u8(0xFF)
      .u8(10)
      .u8(20)
      .u8(30)
      .u8(40)
      .u8(0xFE)
      .u8(1)
      .u8(2)
      .u8(255)
      .u8(0x40 | 3 << 4 | 0 << 2 | 3)
      .u8(0x80 | (32 + 10))
      .u8(9 << 4 | 7)
      .u8(0xC0 | 1)
      .u8((10 * 3 + 20 * 5 + 30 * 7 + 40 * 11) % 64)
      .append(end_mark())
      .content;
}

TEST(qoi_decoder, decodes_every_chunk) {
  const result<decoded_asset> image = decode(make_qoi(7, 1, every_chunk()));
  ASSERT_TRUE(image) << image.error().reason;
  EXPECT_EQ(image->kind(), asset_kind::image);
  EXPECT_EQ(image->width, 7u);
  EXPECT_EQ(image->height, 1u);
  EXPECT_EQ(decoded(make_qoi(7, 1, every_chunk())),
            (values{10, 20, 30, 40, 1, 2,  255, 40, 2, 0,  0,  40, 13, 10,
                    9,  40, 13, 10, 9, 40, 13,  10, 9, 40, 10, 20, 30, 40}));
}

TEST(qoi_decoder, begins_with_opaque_black_and_transparent_indices) {
  EXPECT_EQ(decoded(make_qoi(2, 1, byte_writer{}.u8(0xC0).u8(5).append(end_mark()).content)),
            (values{0, 0, 0, 255, 0, 0, 0, 0}));
}

TEST(qoi_decoder, reports_a_file_cut_anywhere) {
  const bytes whole = make_qoi(7, 1, every_chunk());
  for (std::size_t size = 0; size < whole.size() - end_mark().size(); ++size) {
    EXPECT_EQ(outcome(decode_exactly(qoi_decoder(), whole, size)), "corrupt") << size;
  }
}

TEST(qoi_decoder, survives_flipped_bits) {
  decode_flipped(qoi_decoder(), make_qoi(7, 1, every_chunk()), 1000);
}

TEST(qoi_decoder, rejects_an_implausible_size_without_allocating) {
  tracking_allocator memory;
  EXPECT_EQ(outcome(qoi_decoder().decode(make_qoi(16'000, 16'000, every_chunk()), memory)),
            "corrupt");
  EXPECT_EQ(outcome(qoi_decoder().decode(make_qoi(0, 1, every_chunk()), memory)), "corrupt");
  EXPECT_EQ(memory.total().peak_bytes, 0u);
  EXPECT_EQ(outcome(decode(make_qoi(limits::image_side_max + 1, 1, bytes(1000)))), "limit");
}

TEST(qoi_decoder, says_by_the_header_what_it_takes) {
  expect_memory_needed(qoi_decoder(), make_qoi(7, 1, every_chunk()));
  expect_memory_needed(qoi_decoder(), make_qoi(1, 1, byte_writer{}.u8(0xC0).content));
  EXPECT_EQ(qoi_decoder().memory_needed(make_qoi(16'000, 16'000, every_chunk())), 0u);
  EXPECT_EQ(qoi_decoder().memory_needed(make_qoi(0, 1, every_chunk())), 0u);
}

TEST(qoi_decoder, reports_refused_memory) {
  expect_refusals(qoi_decoder(), make_qoi(7, 1, every_chunk()));
}

}  // namespace
}  // namespace overture::qoi_test
