// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include "decoders/damage.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"

namespace overture::dds_test {
namespace {

using namespace decoders_detail;

using namespace test;

struct dds_wish {
  std::uint32_t width = 8;
  std::uint32_t height = 8;
  std::uint32_t depth = 0;
  std::uint32_t levels = 0;
  std::uint32_t flags = 4;  // of the pixel format
  std::string code = "DXT1";
  std::uint32_t bits = 0;
  std::uint32_t masks[4] = {};
  std::uint32_t capabilities = 0;
  // In the extended header, which follows if the code is DX10.
  std::uint32_t number = 0;
  std::uint32_t misc = 0;
  std::uint32_t layers = 1;
};

bytes make_dds(const dds_wish& wish, std::size_t pixel_bytes) {
  byte_writer out;
  out.text("DDS ").u32(124).u32(0x1007).u32(wish.height).u32(wish.width).u32(0);
  out.u32(wish.depth).u32(wish.levels).text("", 44);
  out.u32(32).u32(wish.flags).text(wish.code, 4).u32(wish.bits);
  for (const std::uint32_t mask : wish.masks) out.u32(mask);
  out.u32(0x1000).u32(wish.capabilities).u32(0).u32(0).u32(0);
  if (wish.code == "DX10") out.u32(wish.number).u32(3).u32(wish.misc).u32(wish.layers).u32(0);
  for (const unsigned char value : noise(pixel_bytes)) out.u8(value);
  return out.content;
}

result<decoded_asset> decode(const bytes& file) {
  return dds_decoder().decode(file, default_allocator());
}

// Whether the file decodes to exactly that many bytes: one fewer is an error, one more is ignored.
void expect_size(const dds_wish& wish, std::size_t size, const char* format) {
  const bytes exact = make_dds(wish, size);
  const result<decoded_asset> texture = decode(exact);
  ASSERT_TRUE(texture) << format << ": " << texture.error().reason;
  EXPECT_EQ(texture->kind(), asset_kind::texture);
  EXPECT_STREQ(to_string(texture->format), format);
  EXPECT_EQ(texture->width, wish.width);
  EXPECT_EQ(texture->height, wish.height);
  ASSERT_EQ(texture->bytes().size(), size);
  EXPECT_EQ(std::memcmp(texture->bytes().data(), exact.data() + exact.size() - size, size), 0);
  EXPECT_EQ(outcome(decode(make_dds(wish, size - 1))), "corrupt") << format;
  EXPECT_EQ(decode(make_dds(wish, size + 1))->bytes().size(), size) << format;
}

TEST(dds_decoder, accepts_its_extension_in_any_case) {
  EXPECT_TRUE(dds_decoder().accepts("textures/Sky.DDS", {}));
  EXPECT_FALSE(dds_decoder().accepts("textures/sky.tga", {}));
}

TEST(dds_decoder, accepts_a_pixel_format_that_states_fewer_bytes) {
  bytes file = make_dds({}, 32);
  put_u32(file, 76, 24);
  EXPECT_EQ(outcome(decode(file)), "ok");
  put_u32(file, 76, 23);
  EXPECT_EQ(outcome(decode(file)), "corrupt");
}

TEST(dds_decoder, copies_compressed_blocks_unchanged) {
  expect_size({}, 32, "bc1");
  expect_size({.width = 5, .height = 1}, 16, "bc1");
  expect_size({.code = "DXT3"}, 64, "bc2");
  expect_size({.code = "DXT5"}, 64, "bc3");
  expect_size({.code = "ATI1"}, 32, "bc4_unorm");
  expect_size({.code = "BC5S"}, 64, "bc5_snorm");
  expect_size({.code = "DX10", .number = 95}, 64, "bc6h_ufloat");
  expect_size({.code = "DX10", .number = 98}, 64, "bc7");
}

TEST(dds_decoder, recognises_pixel_formats_by_their_masks) {
  const auto with = [](std::uint32_t flags, std::uint32_t bits, std::uint32_t red,
                       std::uint32_t green, std::uint32_t blue, std::uint32_t alpha) {
    return dds_wish{.width = 3,
                    .height = 5,
                    .flags = flags,
                    .code = "",
                    .bits = bits,
                    .masks = {red, green, blue, alpha}};
  };
  expect_size(with(0x41, 32, 0xFF, 0xFF00, 0xFF0000, 0xFF000000), 60, "rgba8");
  expect_size(with(0x41, 32, 0xFF0000, 0xFF00, 0xFF, 0xFF000000), 60, "bgra8");
  expect_size(with(0x40, 32, 0xFF0000, 0xFF00, 0xFF, 0xFF000000), 60, "bgrx8");
  expect_size(with(0x40, 24, 0xFF0000, 0xFF00, 0xFF, 0), 45, "bgr8");
  expect_size(with(0x40, 16, 0xF800, 0x7E0, 0x1F, 0), 30, "b5g6r5");
  expect_size(with(0x41, 16, 0x7C00, 0x3E0, 0x1F, 0x8000), 30, "b5g5r5a1");
  expect_size(with(0x41, 16, 0xF00, 0xF0, 0xF, 0xF000), 30, "bgra4");
  expect_size(with(0x20000, 8, 0xFF, 0, 0, 0), 15, "r8");
  expect_size(with(0x20001, 16, 0xFF, 0, 0, 0xFF00), 30, "rg8");
  expect_size(with(0x2, 8, 0, 0, 0, 0xFF), 15, "r8");
  EXPECT_EQ(outcome(decode(make_dds(with(0x40, 32, 0x3FF, 0xFFC00, 0x3FF00000, 0), 60))),
            "unsupported");
}

TEST(dds_decoder, takes_format_and_colour_space_from_the_extended_header) {
  expect_size({.code = "DX10", .number = 2}, 1024, "rgba32_float");
  expect_size({.code = "DX10", .number = 10}, 512, "rgba16_float");
  expect_size({.code = "DX10", .number = 61}, 64, "r8");
  EXPECT_FALSE(decode(make_dds({.code = "DX10", .number = 98}, 64))->srgb);
  EXPECT_TRUE(decode(make_dds({.code = "DX10", .number = 99}, 64))->srgb);
  EXPECT_EQ(outcome(decode(make_dds({.code = "DX10", .number = 1000}, 64))), "unsupported");
}

TEST(dds_decoder, counts_levels_layers_and_slices) {
  // 16 + 4 + 1 + 1 + 1 blocks of 8 bytes.
  expect_size({.width = 16, .height = 16, .levels = 5}, 184, "bc1");
  EXPECT_EQ(decode(make_dds({.width = 16, .height = 16, .levels = 5}, 184))->levels, 5u);

  const dds_wish cube{.capabilities = 0xFE00};
  expect_size(cube, 6 * 32, "bc1");
  EXPECT_EQ(decode(make_dds(cube, 6 * 32))->layers, 6u);
  expect_size({.capabilities = 0x0E00}, 2 * 32, "bc1");

  const dds_wish cubes{.code = "DX10", .number = 71, .misc = 4, .layers = 2};
  expect_size(cubes, 12 * 32, "bc1");
  EXPECT_EQ(decode(make_dds(cubes, 12 * 32))->layers, 12u);

  const dds_wish volume{.depth = 4, .levels = 2, .capabilities = 0x200000};
  expect_size(volume, 4 * 32 + 2 * 8, "bc1");
  EXPECT_EQ(decode(make_dds(volume, 4 * 32 + 2 * 8))->depth, 4u);
}

TEST(dds_decoder, rejects_false_sizes_without_allocating) {
  const bytes file = make_dds({.code = "DX10", .number = 71, .misc = 4}, 6 * 32);
  for (const std::size_t field : {12u, 16u, 28u, 140u}) {
    for (const std::uint64_t lie : {0x20u, 0x8000u, 0x7FFF'FFFFu, 0xFFFF'FFFFu}) {
      bytes damaged = file;
      put_u32(damaged, field, lie);
      tracking_allocator memory;
      const std::string found = outcome(dds_decoder().decode(damaged, memory));
      EXPECT_TRUE(found == "corrupt" || found == "limit") << field << " " << lie << " " << found;
      EXPECT_EQ(memory.total().peak_bytes, 0u);
    }
  }
  for (const std::size_t field : {12u, 16u, 140u}) {
    bytes damaged = file;
    put_u32(damaged, field, 0);
    EXPECT_EQ(outcome(decode(damaged)), "corrupt");
  }
}

TEST(dds_decoder, reports_a_file_cut_anywhere) {
  for (const dds_wish& wish : {dds_wish{}, dds_wish{.code = "DX10", .number = 71}}) {
    decode_each_cut(dds_decoder(), make_dds(wish, 32),
                    [](std::size_t size, const result<decoded_asset>& texture) {
                      EXPECT_EQ(outcome(texture), "corrupt") << size;
                    });
  }
}

TEST(dds_decoder, survives_flipped_bits) {
  decode_flipped(dds_decoder(), make_dds({.levels = 4}, 200), 10'000, 128);
  decode_flipped(dds_decoder(), make_dds({.code = "DX10", .number = 71}, 200), 10'000, 148);
}

TEST(dds_decoder, reports_refused_memory) {
  expect_refusals(dds_decoder(), make_dds({}, 32));
}

}  // namespace
}  // namespace overture::dds_test
