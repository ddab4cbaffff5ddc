// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include "decoders/damage.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"

namespace overture::bmp_test {
namespace {

using namespace decoders_detail;

using namespace test;

result<decoded_asset> decode(const bytes& file) {
  return bmp_decoder().decode(file, default_allocator());
}

using values = pixel_values;

values decoded(const bytes& file) {
  return values_of(decode(file));
}

struct bmp_wish {
  int width = 2;
  int height = 1;
  unsigned bits = 24;
  unsigned compression = 0;
  unsigned colours = 0;
  bytes after_header = {};  // masks or a palette
};

bytes make_bmp(const bmp_wish& wish, const bytes& rows) {
  const std::uint64_t pixels_at = 54 + wish.after_header.size();
  byte_writer file;
  file.text("BM").u32(pixels_at + rows.size()).u32(0).u32(pixels_at);
  file.u32(40).u32(static_cast<std::uint32_t>(wish.width));
  file.u32(static_cast<std::uint32_t>(wish.height)).u16(1).u16(wish.bits).u32(wish.compression);
  file.u32(0).u32(0).u32(0).u32(wish.colours).u32(0);
  return file.append(wish.after_header).append(rows).content;
}

// Colour i is i, 10 + i, 20 + i.
bytes palette(unsigned colours) {
  byte_writer made;
  for (unsigned i = 0; i < colours; ++i) made.u8(20 + i).u8(10 + i).u8(i).u8(0);
  return made.content;
}

TEST(bmp_decoder, decodes_rows_from_the_bottom_up_unless_the_height_is_negative) {
  const bytes rows = byte_writer{}.u8(1).u8(2).u8(3).u8(0).u8(4).u8(5).u8(6).u8(0).content;
  EXPECT_EQ(decoded(make_bmp({.width = 1, .height = 2}, rows)),
            (values{6, 5, 4, 255, 3, 2, 1, 255}));
  const result<decoded_asset> image = decode(make_bmp({.width = 1, .height = -2}, rows));
  ASSERT_TRUE(image);
  EXPECT_EQ(image->height, 2u);
  EXPECT_EQ(decoded(make_bmp({.width = 1, .height = -2}, rows)),
            (values{3, 2, 1, 255, 6, 5, 4, 255}));
}

TEST(bmp_decoder, looks_colours_up_in_the_palette) {
  const auto row = [](unsigned byte) { return byte_writer{}.u8(byte).u8(0).u8(0).u8(0).content; };
  EXPECT_EQ(decoded(make_bmp({.bits = 1, .after_header = palette(2)}, row(0x40))),
            (values{0, 10, 20, 255, 1, 11, 21, 255}));
  EXPECT_EQ(decoded(make_bmp({.bits = 4, .after_header = palette(16)}, row(0x3F))),
            (values{3, 13, 23, 255, 15, 25, 35, 255}));
  EXPECT_EQ(
      decoded(make_bmp({.width = 1, .bits = 8, .colours = 5, .after_header = palette(5)}, row(4))),
      (values{4, 14, 24, 255}));
  EXPECT_EQ(
      decoded(make_bmp({.width = 1, .bits = 8, .colours = 5, .after_header = palette(5)}, row(5))),
      (values{0, 0, 0, 255}))
      << "a colour that the palette lacks";
}

TEST(bmp_decoder, reads_the_old_header_of_os2) {
  byte_writer file;
  file.text("BM").u32(0).u32(0).u32(32).u32(12).u16(1).u16(1).u16(1).u16(1);
  file.u8(1).u8(2).u8(3).u8(4).u8(5).u8(6).u8(0x80).u8(0).u8(0).u8(0);
  EXPECT_EQ(decoded(file.content), (values{6, 5, 4, 255}));
}

TEST(bmp_decoder, stretches_channels_to_eight_bits) {
  EXPECT_EQ(decoded(make_bmp({.bits = 16}, byte_writer{}.u16(0x7C1F).u16(0x0200).content)),
            (values{255, 0, 255, 255, 0, 132, 0, 255}));
  const bytes masks = byte_writer{}.u32(0xF800).u32(0x7E0).u32(0x1F).content;
  EXPECT_EQ(decoded(make_bmp({.bits = 16, .compression = 3, .after_header = masks},
                             byte_writer{}.u16(0x07E0).u16(0x8000).content)),
            (values{0, 255, 0, 255, 132, 0, 0, 255}));
  const bytes four = byte_writer{}.u32(0xFF).u32(0xFF00).u32(0xFF0000).u32(0xFF000000).content;
  EXPECT_EQ(decoded(make_bmp({.width = 1, .bits = 32, .compression = 6, .after_header = four},
                             byte_writer{}.u32(0x04030201).content)),
            (values{1, 2, 3, 4}));
}

TEST(bmp_decoder, takes_the_fourth_byte_for_alpha_if_any_pixel_has_some) {
  EXPECT_EQ(decoded(make_bmp({.bits = 32}, byte_writer{}.u32(0x00010203).u32(0x00040506).content)),
            (values{1, 2, 3, 255, 4, 5, 6, 255}));
  EXPECT_EQ(decoded(make_bmp({.bits = 32}, byte_writer{}.u32(0x80010203).u32(0x00040506).content)),
            (values{1, 2, 3, 128, 4, 5, 6, 0}));
}

// The red of each pixel.
values reds(const bytes& file) {
  values all = decoded(file);
  values red;
  for (std::size_t i = 0; i < all.size(); i += 4) red.push_back(all[i]);
  return red;
}

TEST(bmp_decoder, follows_runs_literals_and_jumps) {
  const bytes eight = byte_writer{}
                          .u8(2)
                          .u8(7)  // a run
                          .u8(0)
                          .u8(0)  // the next row
                          .u8(0)
                          .u8(3)
                          .u8(1)
                          .u8(2)
                          .u8(3)
                          .u8(0)  // three as they are, padded
                          .u8(0)
                          .u8(2)
                          .u8(0)
                          .u8(1)  // down a row
                          .u8(9)
                          .u8(8)  // more than fit
                          .u8(0)
                          .u8(1)  // the end
                          .content;
  const bmp_wish wish{
      .width = 4, .height = 4, .bits = 8, .compression = 1, .after_header = palette(256)};
  EXPECT_EQ(reds(make_bmp(wish, eight)), (values{0, 0, 0, 0, 0, 0, 0, 8, 1, 2, 3, 0, 7, 7, 0, 0}));
  const bytes four = byte_writer{}.u8(3).u8(0x12).u8(0).u8(3).u8(0x34).u8(0x50).u8(0).u8(1).content;
  EXPECT_EQ(
      reds(make_bmp({.width = 6, .bits = 4, .compression = 2, .after_header = palette(16)}, four)),
      (values{1, 2, 1, 3, 4, 5}));
}

bytes large() {
  return make_bmp({.width = 40, .height = 40}, bytes(4800));
}

TEST(bmp_decoder, reports_a_file_cut_anywhere) {
  decode_each_cut(bmp_decoder(), large(), [](std::size_t size, const auto& image) {
    EXPECT_EQ(outcome(image), "corrupt") << size;
  });
  const bytes runs = byte_writer{}.u8(2).u8(7).u8(0).u8(2).u8(1).content;
  EXPECT_EQ(outcome(decode(make_bmp({.height = 3, .bits = 8, .compression = 1}, runs))), "corrupt");
}

TEST(bmp_decoder, accepts_a_last_row_without_padding) {
  EXPECT_EQ(decoded(make_bmp({.width = 1}, byte_writer{}.u8(1).u8(2).u8(3).content)),
            (values{3, 2, 1, 255}));
}

TEST(bmp_decoder, survives_flipped_bits) {
  decode_flipped(bmp_decoder(), large(), 2000, 60);
  const bytes runs =
      byte_writer{}.u8(2).u8(7).u8(0).u8(3).u8(1).u8(2).u8(3).u8(0).u8(0).u8(1).content;
  decode_flipped(
      bmp_decoder(),
      make_bmp({.height = 3, .bits = 8, .compression = 1, .after_header = palette(9)}, runs), 2000);
}

TEST(bmp_decoder, rejects_what_it_does_not_know_and_what_lies) {
  EXPECT_EQ(outcome(decode(make_bmp({.compression = 4}, bytes(8)))), "unsupported");
  EXPECT_EQ(outcome(decode(make_bmp({.bits = 2}, bytes(8)))), "unsupported");
  EXPECT_EQ(outcome(decode(make_bmp({.width = 0}, bytes(8)))), "corrupt");
  EXPECT_EQ(outcome(decode(make_bmp({.height = 0}, bytes(8)))), "corrupt");
  tracking_allocator memory;
  EXPECT_EQ(
      outcome(bmp_decoder().decode(make_bmp({.width = 9000, .height = 9000}, bytes(8)), memory)),
      "corrupt");
  EXPECT_EQ(outcome(bmp_decoder().decode(
                make_bmp({.width = 9000, .height = 9000, .bits = 8, .compression = 1}, bytes(8)),
                memory)),
            "limit")
      << "runs may stand for any number of pixels";
  EXPECT_EQ(memory.total().peak_bytes, 0u);
}

TEST(bmp_decoder, says_by_the_header_what_it_takes) {
  const bytes runs = byte_writer{}.u8(2).u8(5).u8(0).u8(1).content;
  for (const bytes& file :
       {make_bmp({.width = 40, .height = 40}, bytes(4800)), make_bmp({.width = 1}, bytes(3)),
        make_bmp({.width = 1, .height = -2, .bits = 32}, bytes(8)),
        make_bmp({.height = 3, .bits = 8, .compression = 1, .after_header = palette(9)}, runs)}) {
    expect_memory_needed(bmp_decoder(), file);
  }
  EXPECT_EQ(bmp_decoder().memory_needed(make_bmp(
                {.width = 40'000, .height = 40'000, .bits = 8, .compression = 1}, bytes(8))),
            0u);
}

TEST(bmp_decoder, reports_refused_memory) {
  expect_refusals(bmp_decoder(), large());
}

}  // namespace
}  // namespace overture::bmp_test
