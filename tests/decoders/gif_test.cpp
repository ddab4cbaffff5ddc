// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include "decoders/damage.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"

namespace overture::gif_test {
namespace {

using namespace decoders_detail;

using namespace test;

result<decoded_asset> decode(const bytes& file) {
  return gif_decoder().decode(file, default_allocator());
}

using codes = std::vector<unsigned>;

// Packs three-bit codes, the lowest bit first, into one block.
bytes pack(const codes& all) {
  unsigned held = 0;
  unsigned bits = 0;
  byte_writer block;
  for (const unsigned code : all) {
    held |= code << bits;
    for (bits += 3; bits >= 8; bits -= 8, held >>= 8) block.u8(held);
  }
  if (bits > 0) block.u8(held);
  return byte_writer{}.u8(block.content.size()).append(block.content).u8(0).content;
}

constexpr unsigned clear = 4;  // of codes for four colours
constexpr unsigned end = 5;

// Codes stay at three bits if the table is cleared after two of them.
codes literal(const std::vector<unsigned>& values) {
  codes all;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % 2 == 0) all.push_back(clear);
    all.push_back(values[i]);
  }
  return all;
}

struct gif_wish {
  unsigned width = 2;
  unsigned height = 2;
  unsigned left = 0;
  unsigned top = 0;
  unsigned picture_width = 2;
  unsigned picture_height = 2;
  bool interlaced = false;
  int transparent = -1;
  bool own_palette = false;
};

// Colour i has the red 10 * i; in a palette of the picture's own, 100 + i.
bytes make_gif(const gif_wish& wish, const codes& packed) {
  byte_writer file;
  file.text("GIF89a").u16(wish.width).u16(wish.height).u8(0x81).u8(0).u8(0);
  for (unsigned i = 0; i < 4; ++i) file.u8(10 * i).u8(0).u8(0);
  file.u8(0x21).u8(0xFE).u8(5).text("hello").u8(0);
  if (wish.transparent >= 0) {
    file.u8(0x21).u8(0xF9).u8(4).u8(1).u16(0).u8(static_cast<unsigned>(wish.transparent)).u8(0);
  }
  file.u8(0x2C).u16(wish.left).u16(wish.top).u16(wish.picture_width).u16(wish.picture_height);
  file.u8((wish.own_palette ? 0x81u : 0u) | (wish.interlaced ? 0x40u : 0u));
  for (unsigned i = 0; i < 4 && wish.own_palette; ++i) file.u8(100 + i).u8(0).u8(0);
  return file.u8(2).append(pack(packed)).u8(0x3B).content;
}

using values = std::vector<unsigned>;

// The red of each pixel, 999 for transparent ones.
values reds(const bytes& file) {
  const result<decoded_asset> image = decode(file);
  if (!image) {
    ADD_FAILURE() << image.error().reason;
    return {};
  }
  const auto all = content<unsigned char>(*image);
  values red;
  for (std::size_t i = 0; i < all.size(); i += 4) red.push_back(all[i + 3] == 0 ? 999 : all[i]);
  return red;
}

TEST(gif_decoder, decodes_literal_values) {
  const bytes file = make_gif({}, literal({0, 1, 2, 3}));
  EXPECT_EQ(reds(file), (values{0, 10, 20, 30}));
  EXPECT_EQ(decode(file)->width, 2u);
  EXPECT_EQ(decode(file)->height, 2u);
  EXPECT_TRUE(gif_decoder().accepts("a.png", file));
}

TEST(gif_decoder, follows_codes_for_strings_and_the_one_that_is_just_being_made) {
  EXPECT_EQ(reds(make_gif({}, {clear, 1, 6, 1})), (values{10, 10, 10, 10}));
  EXPECT_EQ(reds(make_gif({}, {clear, 1, 2, 6})), (values{10, 20, 10, 20}));
}

TEST(gif_decoder, prefers_the_palette_of_the_picture) {
  EXPECT_EQ(reds(make_gif({.own_palette = true}, literal({0, 1, 2, 3}))),
            (values{100, 101, 102, 103}));
}

TEST(gif_decoder, makes_one_colour_transparent) {
  EXPECT_EQ(reds(make_gif({.transparent = 2}, literal({0, 1, 2, 3}))), (values{0, 10, 999, 30}));
}

TEST(gif_decoder, places_a_picture_on_the_canvas_and_cuts_it_off) {
  EXPECT_EQ(reds(make_gif({.width = 3, .left = 1}, literal({0, 1, 2, 3}))),
            (values{999, 0, 10, 999, 20, 30}));
  EXPECT_EQ(reds(make_gif({.left = 1, .top = 1}, literal({0, 1, 2, 3}))),
            (values{999, 999, 999, 0}));
  EXPECT_EQ(reds(make_gif({.left = 2, .top = 1}, literal({0, 1, 2, 3}))),
            (values{999, 999, 999, 999}));
}

TEST(gif_decoder, orders_interlaced_rows) {
  const gif_wish wish{
      .width = 1, .height = 9, .picture_width = 1, .picture_height = 9, .interlaced = true};
  // Rows 0 and 8, then 4, then 2 and 6, then the odd ones.
  EXPECT_EQ(reds(make_gif(wish, literal({0, 1, 2, 3, 3, 1, 1, 2, 2}))),
            (values{0, 10, 30, 10, 20, 20, 30, 20, 10}));
}

TEST(gif_decoder, takes_the_first_picture_of_an_animation) {
  bytes file = make_gif({}, literal({0, 1, 2, 3}));
  file.pop_back();
  const bytes second = make_gif({}, literal({3, 3, 3, 3}));
  file.insert(file.end(), second.begin() + 25 + 10, second.end());
  EXPECT_EQ(reds(file), (values{0, 10, 20, 30}));
}

TEST(gif_decoder, reports_a_file_cut_anywhere) {
  const bytes whole = make_gif({.transparent = 1}, literal({0, 1, 2, 3}));
  for (std::size_t size = 0; size < whole.size() - 2; ++size) {
    EXPECT_EQ(outcome(decode_exactly(gif_decoder(), whole, size)), "corrupt") << size;
  }
}

TEST(gif_decoder, rejects_damaged_codes) {
  EXPECT_EQ(outcome(decode(make_gif({}, {clear, 7}))), "corrupt") << "no such code yet";
  EXPECT_EQ(outcome(decode(make_gif({}, {clear, 6}))), "corrupt") << "without a code before it";
  EXPECT_EQ(outcome(decode(make_gif({}, {clear, 1, end}))), "corrupt") << "ends early";
}

TEST(gif_decoder, survives_flipped_bits) {
  decode_flipped(gif_decoder(),
                 make_gif({.interlaced = true, .transparent = 1}, literal({0, 1, 2, 3})), 2000);
}

TEST(gif_decoder, rejects_implausible_sizes_without_allocating) {
  tracking_allocator memory;
  const bytes lie = make_gif({.picture_width = 30'000, .picture_height = 30'000}, literal({0}));
  EXPECT_EQ(outcome(gif_decoder().decode(lie, memory)), "limit");
  EXPECT_EQ(memory.total().peak_bytes, 0u);
  EXPECT_EQ(outcome(decode(make_gif({.width = 60'000}, literal({0, 1, 2, 3})))), "limit");
  EXPECT_EQ(outcome(decode(make_gif({.width = 0}, literal({0, 1, 2, 3})))), "corrupt");
}

TEST(gif_decoder, reports_refused_memory) {
  expect_refusals(gif_decoder(), make_gif({}, literal({0, 1, 2, 3})));
}

}  // namespace
}  // namespace overture::gif_test
