// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include <cstdio>

#include <jpeglib.h>

#include <cstdlib>

#include "decoders/damage.hpp"
#include "decoders/rows.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"

namespace overture::jpeg_test {
namespace {

using namespace decoders_detail;

using namespace test;

struct wish {
  J_COLOR_SPACE pixels = JCS_RGB;
  bool progressive = false;
  bool arithmetic = false;
  std::vector<jpeg_scan_info> script = {};
  int quality = 95;
};

bytes make_jpeg(std::uint32_t width, std::uint32_t height, const std::vector<unsigned char>& pixels,
                const wish& how = {}) {
  jpeg_compress_struct codec{};
  jpeg_error_mgr errors{};
  codec.err = jpeg_std_error(&errors);
  jpeg_create_compress(&codec);
  unsigned char* encoded = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&codec, &encoded, &size);
  codec.image_width = width;
  codec.image_height = height;
  codec.in_color_space = how.pixels;
  codec.input_components = how.pixels == JCS_GRAYSCALE ? 1 : how.pixels == JCS_CMYK ? 4 : 3;
  jpeg_set_defaults(&codec);
  jpeg_set_quality(&codec, how.quality, TRUE);
  if (how.progressive) jpeg_simple_progression(&codec);
  if (!how.script.empty()) {
    codec.scan_info = how.script.data();
    codec.num_scans = static_cast<int>(how.script.size());
  }
  codec.arith_code = how.arithmetic ? TRUE : FALSE;
  jpeg_start_compress(&codec, TRUE);
  while (codec.next_scanline < height) {
    const std::size_t row_bytes =
        std::size_t{width} * static_cast<unsigned>(codec.input_components);
    auto* row = const_cast<JSAMPLE*>(pixels.data() + codec.next_scanline * row_bytes);
    jpeg_write_scanlines(&codec, &row, 1);
  }
  jpeg_finish_compress(&codec);
  jpeg_destroy_compress(&codec);
  bytes jpeg(size);
  std::memcpy(jpeg.data(), encoded, size);
  std::free(encoded);  // NOLINT(cppcoreguidelines-no-malloc): libjpeg gives it away so
  return jpeg;
}

// A smooth gradient, which JPEG preserves well.
std::vector<unsigned char> gradient(std::uint32_t width, std::uint32_t height, unsigned channels) {
  std::vector<unsigned char> pixels;
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      const unsigned values[] = {x * 255 / width, y * 255 / height, 128, 40};
      for (unsigned channel = 0; channel < channels; ++channel) {
        pixels.push_back(static_cast<unsigned char>(values[channel]));
      }
    }
  }
  return pixels;
}

result<decoded_asset> decode(const bytes& jpeg) {
  return jpeg_decoder().decode(jpeg, default_allocator());
}

// The offset of the frame header (SOF0 or SOF2), after its marker and length.
std::size_t frame_header(const bytes& jpeg) {
  for (std::size_t i = 2; i + 4 < jpeg.size();) {
    const auto marker = std::to_integer<unsigned>(jpeg[i + 1]);
    if (marker == 0xC0 || marker == 0xC2) return i + 4;
    i += 2 + std::to_integer<std::size_t>(jpeg[i + 2]) * 256 +
         std::to_integer<std::size_t>(jpeg[i + 3]);
  }
  ADD_FAILURE() << "no frame header";
  return 0;
}

bytes with_size(bytes jpeg, unsigned width, unsigned height) {
  const std::size_t at = frame_header(jpeg) + 1;
  jpeg[at] = static_cast<std::byte>(height >> 8);
  jpeg[at + 1] = static_cast<std::byte>(height);
  jpeg[at + 2] = static_cast<std::byte>(width >> 8);
  jpeg[at + 3] = static_cast<std::byte>(width);
  return jpeg;
}

TEST(jpeg_decoder, accepts_its_extensions_in_any_case) {
  EXPECT_TRUE(jpeg_decoder().accepts("textures/wall.JPG", {}));
  EXPECT_TRUE(jpeg_decoder().accepts("a.jpeg", {}));
  EXPECT_FALSE(jpeg_decoder().accepts("a.png", {}));
  EXPECT_FALSE(jpeg_decoder().accepts("jpg", {}));
}

TEST(jpeg_decoder, decodes_pixels_within_the_loss_of_jpeg) {
  // 61 and 37 end inside a block, and inside a batch of rows.
  const std::vector<unsigned char> pixels = gradient(61, 37, 3);
  for (const bool progressive : {false, true}) {
    const result<decoded_asset> image =
        decode(make_jpeg(61, 37, pixels, {.progressive = progressive}));
    ASSERT_TRUE(image) << image.error().reason;
    EXPECT_EQ(image->kind(), asset_kind::image);
    EXPECT_EQ(image->width, 61u);
    EXPECT_EQ(image->height, 37u);
    const auto out = content<unsigned char>(*image);
    ASSERT_EQ(out.size(), 61u * 37 * 4);
    for (std::size_t i = 0; i < std::size_t{61} * 37; ++i) {
      for (std::size_t channel = 0; channel < 3; ++channel) {
        ASSERT_NEAR(out[i * 4 + channel], pixels[i * 3 + channel], 10) << i;
      }
      ASSERT_EQ(out[i * 4 + 3], 255);
    }
  }
}

TEST(jpeg_decoder, decodes_row_by_row_what_it_decodes_at_once) {
  for (const bool progressive : {false, true}) {
    const bytes file = make_jpeg(61, 37, gradient(61, 37, 3), {.progressive = progressive});
    expect_same_rows(jpeg_decoder(), file);
    expect_same_cuts(jpeg_decoder(), file);
    expect_refused_rows(jpeg_decoder(), file);
  }
}

TEST(jpeg_decoder, decodes_rows_in_either_order) {
  const bytes file = make_jpeg(61, 37, gradient(61, 37, 3));
  row_list rows(pixel_order::bgra);
  ASSERT_TRUE(jpeg_decoder().decode_rows(file, rows, default_allocator()));
  const result<decoded_asset> whole = decode(file);
  bytes swapped = content<std::byte>(*whole);
  for (std::size_t i = 0; i < swapped.size(); i += 4) std::swap(swapped[i], swapped[i + 2]);
  EXPECT_EQ(rows.all(), swapped);
}

TEST(jpeg_decoder, turns_greyscale_into_opaque_rgba) {
  const result<decoded_asset> image =
      decode(make_jpeg(16, 16, gradient(16, 16, 1), {.pixels = JCS_GRAYSCALE, .quality = 100}));
  ASSERT_TRUE(image);
  const auto out = content<unsigned char>(*image);
  for (std::size_t i = 0; i < 256; ++i) {
    EXPECT_NEAR(out[i * 4], static_cast<int>(i % 16 * 255 / 16), 3);
    EXPECT_EQ(out[i * 4], out[i * 4 + 1]);
    EXPECT_EQ(out[i * 4], out[i * 4 + 2]);
    EXPECT_EQ(out[i * 4 + 3], 255);
  }
}

TEST(jpeg_decoder, rejects_cmyk_and_arithmetic_coding_as_unsupported) {
  EXPECT_EQ(outcome(decode(make_jpeg(8, 8, gradient(8, 8, 4), {.pixels = JCS_CMYK}))),
            "unsupported");
  EXPECT_EQ(outcome(decode(make_jpeg(8, 8, gradient(8, 8, 3), {.arithmetic = true}))),
            "unsupported");
}

TEST(jpeg_decoder, ignores_bytes_after_the_image) {
  bytes jpeg = make_jpeg(20, 20, gradient(20, 20, 3));
  jpeg.insert(jpeg.end(), 100, std::byte{0x5A});
  EXPECT_EQ(outcome(decode(jpeg)), "ok");
}

TEST(jpeg_decoder, ignores_padding_between_segments) {
  bytes jpeg = make_jpeg(20, 20, gradient(20, 20, 3));
  jpeg.insert(jpeg.begin() + 2, 5, std::byte{0});  // after the start marker
  EXPECT_EQ(outcome(decode(jpeg)), "ok");
}

TEST(jpeg_decoder, reports_a_file_cut_anywhere) {
  for (const bool progressive : {false, true}) {
    const auto raw = noise(40 * 40 * 3);
    decode_each_cut(jpeg_decoder(), make_jpeg(40, 40, raw, {.progressive = progressive}),
                    [](std::size_t size, const result<decoded_asset>& image) {
                      EXPECT_EQ(outcome(image), "corrupt") << size;
                    });
  }
}

TEST(jpeg_decoder, warns_of_a_missing_end_marker) {
  for (const bool progressive : {false, true}) {
    const bytes whole = make_jpeg(40, 40, noise(40 * 40 * 3), {.progressive = progressive});
    const result<decoded_asset> image = decode_exactly(jpeg_decoder(), whole, whole.size() - 2);
    ASSERT_TRUE(image) << image.error().reason;
    EXPECT_STREQ(image->warning, "the JPEG file has no end marker");
    EXPECT_EQ(content<unsigned char>(*image), content<unsigned char>(*decode(whole)));
    EXPECT_EQ(decode(whole)->warning, nullptr);
    const result<decoded_asset> cut = decode_exactly(jpeg_decoder(), whole, whole.size() - 12);
    EXPECT_EQ(outcome(cut), "corrupt");
    EXPECT_STREQ(cut.error().reason, "the JPEG file is truncated");
  }
}

// Where each scan begins.
std::vector<std::size_t> scans_of(const bytes& jpeg) {
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at + 1 < jpeg.size(); ++at) {
    if (jpeg[at] == std::byte{0xFF} && jpeg[at + 1] == std::byte{0xDA}) places.push_back(at);
  }
  return places;
}

TEST(jpeg_decoder, reports_a_file_cut_between_two_scans) {
  std::vector<jpeg_scan_info> one_by_one(3);
  for (int i = 0; i < 3; ++i) one_by_one[static_cast<std::size_t>(i)] = {1, {i}, 0, 63, 0, 0};
  for (const bytes& whole : {make_jpeg(40, 40, noise(40 * 40 * 3), {.progressive = true}),
                             make_jpeg(40, 40, noise(40 * 40 * 3), {.script = one_by_one})}) {
    ASSERT_EQ(outcome(decode(whole)), "ok");
    const std::vector<std::size_t> scans = scans_of(whole);
    ASSERT_GT(scans.size(), 2u);
    for (const std::size_t at : scans) {
      EXPECT_EQ(outcome(decode_exactly(jpeg_decoder(), whole, at)), "corrupt") << at;
    }
  }
}

TEST(jpeg_decoder, survives_flipped_bits) {
  decode_flipped(jpeg_decoder(), make_jpeg(17, 9, noise(17 * 9 * 3)), 4000);
  decode_flipped(jpeg_decoder(), make_jpeg(17, 9, noise(17 * 9 * 3), {.progressive = true}), 4000);
}

TEST(jpeg_decoder, rejects_an_implausible_size_without_allocating) {
  const bytes small = make_jpeg(8, 8, noise(8 * 8 * 3));
  tracking_allocator memory;
  const bytes lie = with_size(small, 16000, 16000);
  EXPECT_EQ(outcome(jpeg_decoder().decode(lie, memory)), "corrupt");
  EXPECT_EQ(memory.total().peak_bytes, 0u);
  // An image of a single colour honestly packs to a few bits per block.
  const bytes flat = make_jpeg(2000, 2000, std::vector<unsigned char>(12'000'000, 200));
  EXPECT_EQ(outcome(decode(flat)), "ok");
}

TEST(jpeg_decoder, states_the_memory_it_needs_from_the_header_alone) {
  constexpr std::uint64_t pixels = 400 * 300;
  const std::vector<unsigned char> content = noise(pixels * 3);
  const bytes plain = make_jpeg(400, 300, content);
  EXPECT_GE(jpeg_decoder().memory_needed(plain), pixels * 4);
  EXPECT_LE(jpeg_decoder().memory_needed(plain), pixels * 4 + (1u << 20));
  // All coefficients are kept until the last scan.
  const bytes progressive = make_jpeg(400, 300, content, {.progressive = true});
  // Colours have a quarter of the samples.
  EXPECT_GE(jpeg_decoder().memory_needed(progressive), pixels * 7);
  EXPECT_LE(jpeg_decoder().memory_needed(progressive), pixels * 15 / 2 + (1u << 20));
  for (std::size_t size = 0; size < 1000; ++size) {
    (void)jpeg_decoder().memory_needed(std::span(plain).first(size));
  }
  for (std::size_t at = 0; at < 600; ++at) {
    bytes damaged = plain;
    damaged[at] = std::byte{0xFF};
    (void)jpeg_decoder().memory_needed(damaged);
  }
}

TEST(jpeg_decoder, rejects_images_above_the_limit) {
  const bytes small = make_jpeg(8, 8, noise(8 * 8 * 3));
  const result<decoded_asset> wide = decode(with_size(small, limits::image_side_max + 1, 1));
  EXPECT_EQ(outcome(wide), "limit");
  EXPECT_STREQ(wide.error().reason, "the image has more than 32,768 pixels on a side");
}

TEST(jpeg_decoder, rejects_too_many_scans) {
  // One scan per frequency and component: a small file that visits the whole image each time.
  std::vector<jpeg_scan_info> script(1);
  script[0] = {3, {0, 1, 2}, 0, 0, 0, 0};
  for (int colour = 0; colour < 3; ++colour) {
    for (int frequency = 1; frequency < 64; ++frequency) {
      script.push_back({1, {colour}, frequency, frequency, 0, 0});
    }
  }
  ASSERT_GT(static_cast<int>(script.size()), limits::jpeg_scans_max);
  const std::vector<unsigned char> pixels = gradient(64, 64, 3);
  const result<decoded_asset> image = decode(make_jpeg(64, 64, pixels, {.script = script}));
  EXPECT_EQ(outcome(image), "limit");
  EXPECT_STREQ(image.error().reason, "the JPEG file has more than 100 scans");
  script.resize(static_cast<std::size_t>(limits::jpeg_scans_max));
  EXPECT_EQ(outcome(decode(make_jpeg(64, 64, pixels, {.script = script}))), "ok");
}

TEST(jpeg_decoder, reports_refused_memory) {
  expect_refusals(jpeg_decoder(), make_jpeg(8, 8, noise(8 * 8 * 3)));
}

}  // namespace
}  // namespace overture::jpeg_test
