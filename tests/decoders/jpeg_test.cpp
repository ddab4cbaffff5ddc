#include <gtest/gtest.h>

#include <cstdio>

#include <jpeglib.h>

#include <cstdlib>

#include "decoders/damage.hpp"
#include "decoders/table.hpp"
#include "overture/limits.hpp"

namespace overture {
namespace {

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

// Colours that change slowly, which JPEG keeps nearly as they are.
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

// The place of the frame header (SOF0 or SOF2), behind its marker and length.
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

TEST(jpeg, accepts_by_extension_in_any_case) {
  EXPECT_TRUE(jpeg_decoder().accepts("textures/wall.JPG", {}));
  EXPECT_TRUE(jpeg_decoder().accepts("a.jpeg", {}));
  EXPECT_FALSE(jpeg_decoder().accepts("a.png", {}));
  EXPECT_FALSE(jpeg_decoder().accepts("jpg", {}));
}

TEST(jpeg, decodes_to_the_pixels_as_near_as_jpeg_keeps_them) {
  // 61 and 37 end in the middle of blocks and of the rows that are read at once.
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

TEST(jpeg, grey_becomes_opaque_colour) {
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

TEST(jpeg, colours_and_codings_that_games_do_not_use_are_unsupported) {
  EXPECT_EQ(outcome(decode(make_jpeg(8, 8, gradient(8, 8, 4), {.pixels = JCS_CMYK}))),
            "unsupported");
  EXPECT_EQ(outcome(decode(make_jpeg(8, 8, gradient(8, 8, 3), {.arithmetic = true}))),
            "unsupported");
}

TEST(jpeg, what_follows_the_image_does_not_matter) {
  bytes jpeg = make_jpeg(20, 20, gradient(20, 20, 3));
  jpeg.insert(jpeg.end(), 100, std::byte{0x5A});
  EXPECT_EQ(outcome(decode(jpeg)), "ok");
}

TEST(jpeg, padding_between_segments_does_not_matter) {
  bytes jpeg = make_jpeg(20, 20, gradient(20, 20, 3));
  jpeg.insert(jpeg.begin() + 2, 5, std::byte{0});  // behind the start marker
  EXPECT_EQ(outcome(decode(jpeg)), "ok");
}

TEST(jpeg, cut_anywhere_is_an_error_and_never_a_crash) {
  for (const bool progressive : {false, true}) {
    const auto raw = noise(40 * 40 * 3);
    decode_each_cut(jpeg_decoder(), make_jpeg(40, 40, raw, {.progressive = progressive}),
                    [](std::size_t size, const result<decoded_asset>& image) {
                      EXPECT_EQ(outcome(image), "corrupt") << size;
                    });
  }
}

TEST(jpeg, flipped_bits_are_an_error_or_an_image) {
  decode_flipped(jpeg_decoder(), make_jpeg(17, 9, noise(17 * 9 * 3)), 4000);
  decode_flipped(jpeg_decoder(), make_jpeg(17, 9, noise(17 * 9 * 3), {.progressive = true}), 4000);
}

TEST(jpeg, size_that_the_file_cannot_hold_takes_no_memory) {
  const bytes small = make_jpeg(8, 8, noise(8 * 8 * 3));
  tracking_allocator memory;
  const bytes lie = with_size(small, 16000, 16000);
  EXPECT_EQ(outcome(jpeg_decoder().decode(lie, memory)), "corrupt");
  EXPECT_EQ(memory.total().peak_bytes, 0u);
  // An image of one colour packs to a few bits a block, and is no lie.
  const bytes flat = make_jpeg(2000, 2000, std::vector<unsigned char>(12'000'000, 200));
  EXPECT_EQ(outcome(decode(flat)), "ok");
}

TEST(jpeg, larger_than_the_limits_is_refused) {
  const bytes small = make_jpeg(8, 8, noise(8 * 8 * 3));
  EXPECT_EQ(outcome(decode(with_size(small, limits::image_side_max + 1, 1))), "limit");
}

TEST(jpeg, too_many_scans_are_refused) {
  // One scan for each frequency of each colour: little to read, all of the image to visit.
  std::vector<jpeg_scan_info> script(1);
  script[0] = {3, {0, 1, 2}, 0, 0, 0, 0};
  for (int colour = 0; colour < 3; ++colour) {
    for (int frequency = 1; frequency < 64; ++frequency) {
      script.push_back({1, {colour}, frequency, frequency, 0, 0});
    }
  }
  ASSERT_GT(static_cast<int>(script.size()), limits::jpeg_scans_max);
  const std::vector<unsigned char> pixels = gradient(64, 64, 3);
  EXPECT_EQ(outcome(decode(make_jpeg(64, 64, pixels, {.script = script}))), "limit");
  script.resize(static_cast<std::size_t>(limits::jpeg_scans_max));
  EXPECT_EQ(outcome(decode(make_jpeg(64, 64, pixels, {.script = script}))), "ok");
}

TEST(jpeg, refused_memory_is_an_error) {
  expect_refusals(jpeg_decoder(), make_jpeg(8, 8, noise(8 * 8 * 3)));
}

}  // namespace
}  // namespace overture
