// SPDX-License-Identifier: Zlib
//
// Built only where libwebp is, like the decoder.
#if __has_include(<webp/encode.h>)

#include <gtest/gtest.h>
#include <webp/encode.h>

#include "decoders/damage.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"

namespace overture::webp_test {
namespace {

using namespace decoders_detail;

using namespace test;

using pixels = std::vector<unsigned char>;

bytes take(std::uint8_t* made, std::size_t size) {
  const auto* const first = reinterpret_cast<const std::byte*>(made);
  bytes file(first, first + size);
  WebPFree(made);
  return file;
}

// Opaque, because the encoder may change the colour of transparent pixels.
pixels gradient(int width, int height) {
  pixels all;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (const int value : {x * 255 / width, y * 255 / height, (x + y) * 2 % 256, 255}) {
        all.push_back(static_cast<unsigned char>(value));
      }
    }
  }
  return all;
}

bytes lossless(int width, int height, const pixels& rgba) {
  std::uint8_t* made = nullptr;
  const std::size_t size = WebPEncodeLosslessRGBA(rgba.data(), width, height, width * 4, &made);
  return take(made, size);
}

bytes lossy(int width, int height, const pixels& rgba) {
  std::uint8_t* made = nullptr;
  const std::size_t size = WebPEncodeRGBA(rgba.data(), width, height, width * 4, 95, &made);
  return take(made, size);
}

const decoder& webp() {
  return *webp_decoder();
}

result<decoded_asset> decode(const bytes& file) {
  return webp().decode(file, default_allocator());
}

TEST(webp_decoder, decodes_lossless_files_exactly) {
  const pixels rgba = gradient(37, 23);
  const bytes file = lossless(37, 23, rgba);
  EXPECT_TRUE(webp().accepts("a.png", file));
  const result<decoded_asset> image = decode(file);
  ASSERT_TRUE(image) << image.error().reason;
  EXPECT_EQ(image->kind(), asset_kind::image);
  EXPECT_EQ(image->width, 37u);
  EXPECT_EQ(image->height, 23u);
  EXPECT_EQ(content<unsigned char>(*image), rgba);
}

TEST(webp_decoder, decodes_lossy_files_with_alpha_within_their_loss) {
  pixels rgba = gradient(64, 48);
  for (std::size_t i = 3; i < rgba.size(); i += 4) rgba[i] = i % 8 == 3 ? 255 : 128;
  const result<decoded_asset> image = decode(lossy(64, 48, rgba));
  ASSERT_TRUE(image) << image.error().reason;
  const pixels out = content<unsigned char>(*image);
  ASSERT_EQ(out.size(), rgba.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    ASSERT_NEAR(out[i], rgba[i], i % 4 == 3 ? 0 : 60) << i;
  }
}

TEST(webp_decoder, reports_a_file_cut_anywhere) {
  const pixels rgba = gradient(64, 48);
  for (const bytes& file : {lossless(64, 48, rgba), lossy(64, 48, rgba)}) {
    decode_each_cut(webp(), file, [](std::size_t size, const auto& image) {
      EXPECT_EQ(outcome(image), "corrupt") << size;
    });
  }
}

TEST(webp_decoder, survives_flipped_bits) {
  decode_flipped(webp(), lossless(17, 9, gradient(17, 9)), 2000);
  decode_flipped(webp(), lossy(17, 9, gradient(17, 9)), 2000);
}

TEST(webp_decoder, rejects_animations_as_unsupported) {
  byte_writer file;
  file.text("RIFF").u32(22).text("WEBP").text("VP8X").u32(10).u8(2).text("", 3);
  file.u8(7).u8(0).u8(0).u8(7).u8(0).u8(0).text("ANIM").u32(6).text("", 6);
  EXPECT_EQ(outcome(decode(file.content)), "unsupported");
}

TEST(webp_decoder, states_the_memory_it_needs_from_the_header_alone) {
  const pixels rgba = gradient(64, 48);
  const bytes file = lossless(64, 48, rgba);
  EXPECT_GE(webp().memory_needed(file), rgba.size() * 2);
  EXPECT_LE(webp().memory_needed(lossy(64, 48, rgba)), rgba.size() * 2 + (1u << 20));
  for (std::size_t size = 0; size < file.size(); ++size) {
    (void)webp().memory_needed(std::span(file).first(size));
  }
}

TEST(webp_decoder, rejects_an_implausible_size_without_allocating) {
  // A lossless image of 16,000 x 16,000 in 24 bits of header.
  const std::uint32_t sides = (15'999u << 14) | 15'999u;
  byte_writer file;
  file.text("RIFF").u32(1020).text("WEBP").text("VP8L").u32(1000).u8(0x2F).u32(sides);
  tracking_allocator memory;
  EXPECT_EQ(outcome(webp().decode(file.text("", 1003).content, memory)), "limit");
  EXPECT_EQ(memory.total().peak_bytes, 0u);
}

TEST(webp_decoder, reports_refused_memory) {
  expect_refusals(webp(), lossless(8, 8, gradient(8, 8)));
}

}  // namespace
}  // namespace overture::webp_test

#endif
