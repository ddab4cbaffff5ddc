// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include "decoders/damage.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"

namespace overture::pcx_test {
namespace {

using namespace decoders_detail;

using namespace test;

result<decoded_asset> decode(const bytes& file) {
  return pcx_decoder().decode(file, default_allocator());
}

using values = pixel_values;

values decoded(const bytes& file) {
  return values_of(decode(file));
}

struct pcx_wish {
  unsigned bits = 8;
  unsigned planes = 1;
  unsigned width = 2;
  unsigned height = 1;
  unsigned line_bytes = 2;
  bool run_length = true;
};

bytes make_pcx(const pcx_wish& wish, const bytes& packed) {
  byte_writer file;
  file.u8(10).u8(5).u8(wish.run_length ? 1 : 0).u8(wish.bits).u16(1).u16(2);
  file.u16(wish.width).u16(wish.height + 1).u16(72).u16(72);
  for (unsigned i = 0; i < 48; ++i) file.u8(i);  // colours 0, 1, 2; then 3, 4, 5 and so on
  file.u8(0).u8(wish.planes).u16(wish.line_bytes).u16(1).text("", 58);
  return file.append(packed).content;
}

// Colour i is i, i, 255 - i.
bytes with_palette(bytes file) {
  byte_writer palette;
  palette.u8(12);
  for (unsigned i = 0; i < 256; ++i) palette.u8(i).u8(i).u8(255 - i);
  file.insert(file.end(), palette.content.begin(), palette.content.end());
  return file;
}

TEST(pcx_decoder, looks_colours_up_in_the_palette_at_the_end) {
  const bytes file = with_palette(make_pcx({}, byte_writer{}.u8(7).u8(0xC1).u8(0xC9).content));
  EXPECT_EQ(decoded(file), (values{7, 7, 248, 255, 201, 201, 54, 255}));
  EXPECT_EQ(decode(file)->width, 2u);
}

TEST(pcx_decoder, joins_planes_of_true_colour) {
  const bytes packed = byte_writer{}.u8(1).u8(2).u8(0xC2).u8(9).u8(0xC2).u8(5).content;
  EXPECT_EQ(decoded(make_pcx({.planes = 3}, packed)), (values{1, 9, 5, 255, 2, 9, 5, 255}));
  const bytes four = byte_writer{}.append(packed).u8(11).u8(12).content;
  EXPECT_EQ(decoded(make_pcx({.planes = 4}, four)), (values{1, 9, 5, 11, 2, 9, 5, 12}));
}

TEST(pcx_decoder, joins_bits_of_several_planes) {
  // Pixel 0 has the bits 1, 0, 1, 0 of the four planes, which is colour 5; pixel 1 has colour 2.
  const bytes planes = byte_writer{}.u8(0x80).u8(0x40).u8(0x80).u8(0).content;
  EXPECT_EQ(decoded(make_pcx({.bits = 1, .planes = 4, .line_bytes = 1}, planes)),
            (values{15, 16, 17, 255, 6, 7, 8, 255}));
  EXPECT_EQ(decoded(make_pcx({.bits = 1, .line_bytes = 1}, byte_writer{}.u8(0x40).content)),
            (values{0, 0, 0, 255, 255, 255, 255, 255}));
  EXPECT_EQ(decoded(make_pcx({.bits = 4, .line_bytes = 1}, byte_writer{}.u8(0x1F).content)),
            (values{3, 4, 5, 255, 45, 46, 47, 255}));
}

TEST(pcx_decoder, lets_runs_go_on_in_the_next_line) {
  const bytes packed = byte_writer{}.u8(0xC4).u8(3).content;
  EXPECT_EQ(decoded(with_palette(make_pcx({.height = 2}, packed))).size(), 16u);
}

TEST(pcx_decoder, reads_files_without_runs) {
  const bytes file = make_pcx({.run_length = false}, byte_writer{}.u8(0xC1).u8(2).content);
  EXPECT_EQ(decoded(with_palette(file)), (values{193, 193, 62, 255, 2, 2, 253, 255}));
}

bytes large() {
  byte_writer packed;
  for (int i = 0; i < 40 * 3 * 40; ++i) packed.u8(static_cast<unsigned>(i % 190));
  return make_pcx({.planes = 3, .width = 40, .height = 40, .line_bytes = 40}, packed.content);
}

TEST(pcx_decoder, reports_a_file_cut_anywhere) {
  decode_each_cut(pcx_decoder(), large(), [](std::size_t size, const auto& image) {
    EXPECT_EQ(outcome(image), "corrupt") << size;
  });
}

TEST(pcx_decoder, survives_flipped_bits) {
  decode_flipped(pcx_decoder(), large(), 2000, 200);
  decode_flipped(pcx_decoder(), with_palette(make_pcx({}, bytes(2))), 2000, 132);
}

TEST(pcx_decoder, rejects_contradictory_files) {
  EXPECT_EQ(outcome(decode(make_pcx({}, bytes(2)))), "corrupt") << "no palette";
  EXPECT_EQ(outcome(decode(with_palette(make_pcx({.line_bytes = 1}, bytes(2))))), "corrupt");
  EXPECT_EQ(outcome(decode(with_palette(make_pcx({.bits = 3}, bytes(2))))), "unsupported");
  EXPECT_EQ(outcome(decode(with_palette(make_pcx({.planes = 2}, bytes(2))))), "unsupported");
  tracking_allocator memory;
  const bytes lie =
      make_pcx({.planes = 3, .width = 9000, .height = 9000, .line_bytes = 9000}, bytes(500));
  EXPECT_EQ(outcome(pcx_decoder().decode(lie, memory)), "corrupt");
  EXPECT_EQ(memory.total().peak_bytes, 0u);
}

TEST(pcx_decoder, reports_refused_memory) {
  expect_refusals(pcx_decoder(), with_palette(make_pcx({}, bytes(2))));
}

}  // namespace
}  // namespace overture::pcx_test
