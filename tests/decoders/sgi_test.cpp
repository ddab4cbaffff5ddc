// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>

#include "decoders/damage.hpp"
#include "decoders/table.hpp"
#include "overture/base/limits.hpp"

namespace overture::sgi_test {
namespace {

using namespace decoders_detail;

using namespace test;

result<decoded_asset> decode(const bytes& file) {
  return sgi_decoder().decode(file, default_allocator());
}

using values = pixel_values;

values decoded(const bytes& file) {
  return values_of(decode(file));
}

struct sgi_wish {
  unsigned storage = 0;
  unsigned value_bytes = 1;
  unsigned dimensions = 3;
  unsigned width = 2;
  unsigned height = 1;
  unsigned channels = 1;
  unsigned colour_map = 0;
};

void big(byte_writer& file, unsigned bytes, std::uint64_t value) {
  while (bytes-- > 0) file.u8(value >> 8 * bytes);
}

bytes make_sgi(const sgi_wish& wish, const bytes& rows) {
  byte_writer file;
  file.u8(1).u8(0xDA).u8(wish.storage).u8(wish.value_bytes);
  for (const unsigned each : {wish.dimensions, wish.width, wish.height, wish.channels}) {
    big(file, 2, each);
  }
  file.text("", 92);
  big(file, 4, wish.colour_map);
  return file.text("", 404).append(rows).content;
}

TEST(sgi_decoder, joins_channels_and_turns_rows_upside_down) {
  const bytes rows = byte_writer{}.u8(1).u8(2).u8(3).u8(4).content;
  EXPECT_EQ(decoded(make_sgi({.width = 1, .height = 2, .channels = 2}, rows)),
            (values{2, 2, 2, 4, 1, 1, 1, 3}));
  EXPECT_EQ(decoded(make_sgi({.width = 1, .channels = 4}, rows)), (values{1, 2, 3, 4}));
  EXPECT_EQ(decoded(make_sgi({.width = 1, .channels = 3}, rows)), (values{1, 2, 3, 255}));
}

TEST(sgi_decoder, takes_missing_dimensions_for_one) {
  const bytes rows = byte_writer{}.u8(7).u8(8).content;
  EXPECT_EQ(decoded(make_sgi({.dimensions = 1, .height = 9, .channels = 9}, rows)),
            (values{7, 7, 7, 255, 8, 8, 8, 255}));
  EXPECT_EQ(decoded(make_sgi({.dimensions = 2, .channels = 9}, rows)).size(), 8u);
}

TEST(sgi_decoder, keeps_the_upper_byte_of_two) {
  EXPECT_EQ(decoded(make_sgi({.value_bytes = 2}, byte_writer{}.u8(1).u8(9).u8(2).u8(9).content)),
            (values{1, 1, 1, 255, 2, 2, 2, 255}));
}

// A table of one row, then the row.
bytes packed_row(const bytes& row) {
  byte_writer rows;
  big(rows, 4, 512 + 8);
  big(rows, 4, row.size());
  return rows.append(row).content;
}

TEST(sgi_decoder, follows_runs_and_literals) {
  const bytes row = byte_writer{}.u8(2).u8(9).u8(0x82).u8(5).u8(6).u8(0).content;
  EXPECT_EQ(decoded(make_sgi({.storage = 1, .width = 4}, packed_row(row))),
            (values{9, 9, 9, 255, 9, 9, 9, 255, 5, 5, 5, 255, 6, 6, 6, 255}));
  const bytes wide = byte_writer{}.u8(0).u8(1).u8(7).u8(0).u8(0).u8(0x81).u8(8).u8(0).content;
  EXPECT_EQ(decoded(make_sgi({.storage = 1, .value_bytes = 2}, packed_row(wide))),
            (values{7, 7, 7, 255, 8, 8, 8, 255}));
}

TEST(sgi_decoder, reports_damaged_rows) {
  for (const bytes& row : {byte_writer{}.u8(0).u8(9).content, byte_writer{}.u8(1).u8(9).content,
                           byte_writer{}.u8(0x84).u8(9).content, byte_writer{}.u8(2).content}) {
    EXPECT_EQ(outcome(decode(make_sgi({.storage = 1}, packed_row(row)))), "corrupt");
  }
  bytes outside = packed_row(byte_writer{}.u8(2).u8(9).content);
  outside[7] = std::byte{200};
  EXPECT_EQ(outcome(decode(make_sgi({.storage = 1}, outside))), "corrupt");
}

TEST(sgi_decoder, reports_a_file_cut_anywhere) {
  const bytes whole = make_sgi({.width = 40, .height = 40, .channels = 3}, bytes(4800));
  decode_each_cut(sgi_decoder(), whole, [](std::size_t size, const auto& image) {
    EXPECT_EQ(outcome(image), "corrupt") << size;
  });
}

TEST(sgi_decoder, survives_flipped_bits) {
  decode_flipped(sgi_decoder(), make_sgi({.channels = 3}, bytes(6)), 2000, 108);
  const bytes row = packed_row(byte_writer{}.u8(1).u8(9).u8(0x81).u8(5).u8(0).content);
  decode_flipped(sgi_decoder(), make_sgi({.storage = 1}, row), 5000);
}

TEST(sgi_decoder, rejects_what_it_does_not_know) {
  EXPECT_EQ(outcome(decode(make_sgi({.channels = 5}, bytes(10)))), "unsupported");
  EXPECT_EQ(outcome(decode(make_sgi({.colour_map = 1}, bytes(10)))), "unsupported");
  EXPECT_EQ(outcome(decode(make_sgi({.value_bytes = 3}, bytes(10)))), "unsupported");
  EXPECT_EQ(outcome(decode(make_sgi({.storage = 2}, bytes(10)))), "corrupt");
  EXPECT_EQ(outcome(decode(make_sgi({.width = 0}, bytes(10)))), "corrupt");
  EXPECT_EQ(outcome(decode(make_sgi({.width = limits::image_side_max + 1}, bytes(40'000)))),
            "limit");
}

TEST(sgi_decoder, reports_refused_memory) {
  expect_refusals(sgi_decoder(), make_sgi({}, bytes(2)));
}

}  // namespace
}  // namespace overture::sgi_test
