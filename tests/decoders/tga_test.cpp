// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include "decoders/damage.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"

namespace overture::tga_test {
namespace {

using namespace decoders_detail;

using namespace test;

constexpr unsigned top_down = 0x20;
constexpr unsigned right_to_left = 0x10;

struct tga_wish {
  unsigned type = 2;  // 1 palette, 2 colour, 3 grey; 8 more: run-length encoded
  unsigned bits = 24;
  unsigned flags = top_down;
  unsigned map_first = 0;
  unsigned map_entries = 0;
  unsigned map_bits = 0;
  std::string id = "";
};

bytes make_tga(unsigned width, unsigned height, const tga_wish& wish, const bytes& rest) {
  byte_writer file;
  file.u8(wish.id.size()).u8(wish.map_entries > 0 ? 1 : 0).u8(wish.type);
  file.u16(wish.map_first).u16(wish.map_entries).u8(wish.map_bits);
  file.u32(0).u16(width).u16(height).u8(wish.bits).u8(wish.flags);
  return file.text(wish.id).append(rest).content;
}

result<decoded_asset> decode(const bytes& file) {
  return tga_decoder().decode(file, default_allocator());
}

// The pixels as 0xRRGGBBAA.
using pixels = std::vector<std::uint32_t>;

pixels decoded(const bytes& file) {
  const result<decoded_asset> image = decode(file);
  if (!image) {
    ADD_FAILURE() << image.error().reason;
    return {};
  }
  EXPECT_EQ(image->kind(), asset_kind::image);
  pixels found;
  const auto raw = content<unsigned char>(*image);
  EXPECT_EQ(raw.size(), std::size_t{image->width} * image->height * 4);
  for (std::size_t i = 0; i + 3 < raw.size(); i += 4) {
    found.push_back(unsigned{raw[i]} << 24 | unsigned{raw[i + 1]} << 16 |
                    unsigned{raw[i + 2]} << 8 | raw[i + 3]);
  }
  return found;
}

TEST(tga_decoder, accepts_its_extension_in_any_case) {
  EXPECT_TRUE(tga_decoder().accepts("textures/Sky.TGA", {}));
  EXPECT_FALSE(tga_decoder().accepts("textures/sky.jpg", {}));
}

TEST(tga_decoder, decodes_the_exact_pixels_of_every_depth) {
  EXPECT_EQ(decoded(make_tga(2, 1, {}, byte_writer{}.u8(1).u8(2).u8(3).u8(4).u8(5).u8(6).content)),
            (pixels{0x030201FF, 0x060504FF}));
  EXPECT_EQ(decoded(make_tga(2, 1, {.bits = 32}, byte_writer{}.u32(0x80'11'22'33).u32(0).content)),
            (pixels{0x11223380, 0}));
  // Five bits scale to eight so that 31 becomes 255.
  EXPECT_EQ(
      decoded(make_tga(4, 1, {.bits = 16},
                       byte_writer{}.u16(0x7C00).u16(0x03E0).u16(0x001F).u16(0x8421).content)),
      (pixels{0xFF0000FF, 0x00FF00FF, 0x0000FFFF, 0x080808FF}));
  EXPECT_EQ(decoded(make_tga(1, 1, {.bits = 15}, byte_writer{}.u16(0x7FFF).content)),
            (pixels{0xFFFFFFFF}));
  EXPECT_EQ(decoded(make_tga(2, 1, {.type = 3, .bits = 8}, byte_writer{}.u8(7).u8(200).content)),
            (pixels{0x070707FF, 0xC8C8C8FF}));
  EXPECT_EQ(decoded(make_tga(2, 1, {.type = 3, .bits = 16},
                             byte_writer{}.u8(7).u8(255).u8(200).u8(9).content)),
            (pixels{0x070707FF, 0xC8C8C809}));
}

TEST(tga_decoder, orders_rows_and_columns_by_the_flags) {
  const bytes gray = byte_writer{}.u8(1).u8(2).u8(3).u8(4).u8(5).u8(6).content;
  const auto with = [&](unsigned flags) {
    pixels found = decoded(make_tga(2, 3, {.type = 3, .bits = 8, .flags = flags}, gray));
    for (std::uint32_t& each : found) each = each >> 8 & 255;
    return found;
  };
  EXPECT_EQ(with(top_down), (pixels{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(with(0), (pixels{5, 6, 3, 4, 1, 2}));
  EXPECT_EQ(with(top_down | right_to_left), (pixels{2, 1, 4, 3, 6, 5}));
  EXPECT_EQ(with(right_to_left), (pixels{6, 5, 4, 3, 2, 1}));
}

TEST(tga_decoder, looks_up_palettes_of_every_depth) {
  const auto with = [](unsigned map_bits, const bytes& map) {
    bytes rest = map;
    const bytes indices = byte_writer{}.u8(11).u8(10).u8(12).content;
    rest.insert(rest.end(), indices.begin(), indices.end());
    return decoded(make_tga(
        3, 1, {.type = 1, .bits = 8, .map_first = 10, .map_entries = 2, .map_bits = map_bits},
        rest));
  };
  // Index 12 is not in the map.
  EXPECT_EQ(with(24, byte_writer{}.u8(1).u8(2).u8(3).u8(4).u8(5).u8(6).content),
            (pixels{0x060504FF, 0x030201FF, 0}));
  EXPECT_EQ(with(32, byte_writer{}.u32(0x01020304).u32(0x05060708).content),
            (pixels{0x06070805, 0x02030401, 0}));
  EXPECT_EQ(with(16, byte_writer{}.u16(0x7C00).u16(0x001F).content),
            (pixels{0x0000FFFF, 0xFF0000FF, 0}));
}

TEST(tga_decoder, skips_the_name_and_an_unused_palette) {
  const bytes rest = byte_writer{}.u8(9).u8(9).u8(9).u8(1).u8(2).u8(3).content;
  EXPECT_EQ(decoded(make_tga(1, 1, {.map_entries = 1, .map_bits = 24, .id = "a name"}, rest)),
            (pixels{0x030201FF}));
}

TEST(tga_decoder, lets_runs_cross_rows_and_pass_the_last_pixel) {
  // A run of three 7s, then 1 and 2 unpacked, then a run that passes the end of the image.
  const bytes runs = byte_writer{}.u8(0x82).u8(7).u8(0x01).u8(1).u8(2).u8(0xFF).u8(9).content;
  pixels found = decoded(make_tga(2, 4, {.type = 11, .bits = 8, .flags = 0}, runs));
  for (std::uint32_t& each : found) each = each >> 8 & 255;
  EXPECT_EQ(found, (pixels{9, 9, 2, 9, 7, 1, 7, 7}));
  const bytes wide = byte_writer{}.u8(0x80).u32(0x44332211).u8(0x00).u32(0x88776655).content;
  EXPECT_EQ(decoded(make_tga(2, 1, {.type = 10, .bits = 32}, wide)),
            (pixels{0x33221144, 0x77665588}));
}

TEST(tga_decoder, rejects_implausible_sizes_without_allocating) {
  for (const unsigned type : {2u, 10u}) {
    tracking_allocator memory;
    const bytes lie = make_tga(20'000, 10'000, {.type = type}, bytes(1000));
    EXPECT_EQ(outcome(tga_decoder().decode(lie, memory)), "corrupt");
    EXPECT_EQ(memory.total().peak_bytes, 0u);
  }
  // The largest size that a run-length encoded file of this length can hold.
  byte_writer runs;
  for (int i = 0; i < 1000; ++i) runs.u8(0xFF).u8(5);
  EXPECT_EQ(outcome(decode(make_tga(1280, 100, {.type = 11, .bits = 8}, runs.content))), "ok");
}

TEST(tga_decoder, rejects_images_above_the_limit) {
  EXPECT_EQ(outcome(decode(make_tga(limits::image_side_max + 1, 1, {}, {}))), "limit");
  EXPECT_EQ(outcome(decode(make_tga(30'000, 30'000, {}, {}))), "limit");
}

TEST(tga_decoder, rejects_unknown_variants) {
  EXPECT_EQ(outcome(decode(make_tga(1, 1, {.type = 0}, bytes(9)))), "corrupt");
  EXPECT_EQ(outcome(decode(make_tga(1, 1, {.type = 4}, bytes(9)))), "unsupported");
  EXPECT_EQ(outcome(decode(make_tga(1, 1, {.type = 32}, bytes(9)))), "corrupt");
  EXPECT_EQ(outcome(decode(make_tga(1, 1, {.bits = 8}, bytes(9)))), "unsupported");
  EXPECT_EQ(outcome(decode(make_tga(1, 1, {.type = 3, .bits = 24}, bytes(9)))), "unsupported");
  EXPECT_EQ(outcome(decode(make_tga(1, 1, {.type = 1, .bits = 8}, bytes(9)))), "corrupt");
  const tga_wish odd_map{.type = 1, .bits = 8, .map_entries = 1, .map_bits = 8};
  EXPECT_EQ(outcome(decode(make_tga(1, 1, odd_map, bytes(9)))), "unsupported");
  EXPECT_EQ(outcome(decode(make_tga(0, 1, {}, bytes(9)))), "corrupt");
}

bytes raw_bytes(std::size_t count) {
  byte_writer raw;
  for (const unsigned char value : noise(count)) raw.u8(value);
  return raw.content;
}

// Packets of 1 to 128 pixels, alternating between runs and raw ones.
bytes runs_of_noise(std::size_t pixel_count, unsigned pixel_bytes) {
  byte_writer runs;
  for (std::size_t done = 0, turn = 0; done < pixel_count; ++turn) {
    const std::size_t length = std::min<std::size_t>(turn * 37 % 128 + 1, pixel_count - done);
    const bool run = turn % 2 == 0;
    runs.u8((run ? 128 : 0) + length - 1).append(raw_bytes((run ? 1 : length) * pixel_bytes));
    done += length;
  }
  return runs.content;
}

TEST(tga_decoder, reports_a_file_cut_anywhere) {
  for (const bytes& file : {make_tga(20, 30, {}, raw_bytes(20 * 30 * 3)),
                            make_tga(20, 30, {.type = 10}, runs_of_noise(20 * 30, 3))}) {
    ASSERT_EQ(outcome(decode(file)), "ok");
    decode_each_cut(tga_decoder(), file, [](std::size_t size, const auto& image) {
      EXPECT_EQ(outcome(image), "corrupt") << size;
    });
  }
}

TEST(tga_decoder, survives_flipped_bits) {
  decode_flipped(tga_decoder(), make_tga(8, 8, {}, raw_bytes(8 * 8 * 3)), 2000, 20);
  decode_flipped(tga_decoder(), make_tga(16, 16, {.type = 10}, runs_of_noise(256, 3)), 5000);
  const tga_wish mapped{.type = 9, .bits = 8, .map_entries = 4, .map_bits = 24};
  bytes rest = raw_bytes(12);
  const bytes runs = runs_of_noise(256, 1);
  rest.insert(rest.end(), runs.begin(), runs.end());
  decode_flipped(tga_decoder(), make_tga(16, 16, mapped, rest), 5000);
}

TEST(tga_decoder, says_by_the_header_what_it_takes) {
  for (const bytes& file :
       {make_tga(20, 30, {}, raw_bytes(20 * 30 * 3)), make_tga(4, 1, {.bits = 16}, raw_bytes(8)),
        make_tga(20, 30, {.type = 10}, runs_of_noise(20 * 30, 3))}) {
    expect_memory_needed(tga_decoder(), file);
  }
  EXPECT_EQ(tga_decoder().memory_needed(make_tga(20'000, 10'000, {}, bytes(1000))), 0u);
}

TEST(tga_decoder, reports_refused_memory) {
  expect_refusals(tga_decoder(), make_tga(4, 4, {}, raw_bytes(48)));
}

}  // namespace
}  // namespace overture::tga_test
