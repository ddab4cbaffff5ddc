// SPDX-License-Identifier: Zlib
#include <gtest/gtest.h>
#include <libdeflate.h>

#include <memory>
#include <string>

#include "decoders/damage.hpp"
#include "decoders/table.hpp"

namespace overture::gzip_test {
namespace {

using namespace decoders_detail;

using namespace test;

bytes bytes_of(const std::string& text) {
  return byte_writer{}.append(text.empty() ? bytes{} : byte_writer{}.text(text).content).content;
}

bytes packed(const bytes& content) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> by(
      libdeflate_alloc_compressor(6), libdeflate_free_compressor);
  bytes file(libdeflate_gzip_compress_bound(by.get(), content.size()));
  file.resize(
      libdeflate_gzip_compress(by.get(), content.data(), content.size(), file.data(), file.size()));
  return file;
}

bytes joined(const bytes& first, const bytes& second) {
  return byte_writer{}.append(first).append(second).content;
}

result<decoded_asset> decode(const bytes& file, allocator& memory = default_allocator()) {
  return gzip_decoder().decode(file, memory);
}

std::string text_in(const result<decoded_asset>& made) {
  if (!made) return made.error().reason;
  const auto all = content<char>(*made);
  return {all.begin(), all.end()};
}

// One pixel.
bytes qoi_image() {
  byte_writer file;
  file.text("qoif").u32(1u << 24).u32(1u << 24).u8(4).u8(0);
  return file.u8(0xFE).u8(1).u8(2).u8(3).text("", 7).u8(1).content;
}

bytes no_format() {
  bytes content;
  for (const unsigned char each : noise(5000)) content.push_back(static_cast<std::byte>(each));
  content[0] = std::byte{0};
  return content;
}

TEST(gzip_decoder, gives_the_asset_of_the_file_inside) {
  const result<decoded_asset> text = decode(packed(bytes_of("one\ntwo\n")));
  ASSERT_TRUE(text) << text.error().reason;
  EXPECT_EQ(text->kind(), asset_kind::text);
  EXPECT_EQ(text->lines, 2u);
  EXPECT_EQ(text_in(text), "one\ntwo\n");

  const result<decoded_asset> image = decode(packed(qoi_image()));
  ASSERT_TRUE(image) << image.error().reason;
  EXPECT_EQ(image->kind(), asset_kind::image);
  EXPECT_EQ(image->width, 1u);
}

TEST(gzip_decoder, gives_the_bytes_that_no_decoder_reads) {
  const bytes inside = no_format();
  const result<decoded_asset> made = decode(packed(inside));
  ASSERT_TRUE(made) << made.error().reason;
  EXPECT_EQ(made->kind(), asset_kind::binary);
  EXPECT_EQ(content<std::byte>(*made), inside);
}

TEST(gzip_decoder, gives_the_bytes_of_what_is_only_recognised) {
  const bytes model = bytes_of("MD5Version 10\ncommandline \"\"\n");
  const result<decoded_asset> made = decode(packed(model));
  ASSERT_TRUE(made) << made.error().reason;
  EXPECT_EQ(made->kind(), asset_kind::binary);
  EXPECT_EQ(content<std::byte>(*made), model);
}

TEST(gzip_decoder, unpacks_one_layer) {
  const bytes inside = packed(bytes_of("text"));
  const result<decoded_asset> made = decode(packed(inside));
  ASSERT_TRUE(made) << made.error().reason;
  EXPECT_EQ(made->kind(), asset_kind::binary);
  EXPECT_EQ(content<std::byte>(*made), inside);
}

TEST(gzip_decoder, joins_members) {
  const bytes large = bytes_of(std::string(100'000, 'a'));
  const std::string all = std::string(100'000, 'a') + "end";
  EXPECT_EQ(text_in(decode(joined(packed(large), packed(bytes_of("end"))))), all);
  const bytes three = joined(joined(packed({}), packed(bytes_of("end"))), packed(large));
  EXPECT_EQ(text_in(decode(three)), "end" + std::string(100'000, 'a'));
}

TEST(gzip_decoder, unpacks_a_file_without_content) {
  const result<decoded_asset> made = decode(packed({}));
  ASSERT_TRUE(made) << made.error().reason;
  EXPECT_TRUE(made->bytes().empty());
}

TEST(gzip_decoder, warns_of_other_bytes_after_the_end_but_for_zeros) {
  const bytes file = packed(bytes_of("text"));
  const result<decoded_asset> padded = decode(joined(file, bytes(100)));
  EXPECT_EQ(text_in(padded), "text");
  EXPECT_EQ(padded->warning, nullptr);
  const result<decoded_asset> more = decode(joined(file, bytes_of("more")));
  EXPECT_EQ(text_in(more), "text");
  ASSERT_NE(more->warning, nullptr);
  EXPECT_EQ(more->warning_offset, file.size());
}

TEST(gzip_decoder, hands_on_the_warning_of_the_file_inside) {
  bytes late = packed(no_format());
  EXPECT_EQ(decode(late)->warning, nullptr);
  // A WAV file that does not state its length.
  byte_writer wave;
  wave.text("RIFF").u32(0x7FFFFFFF).text("WAVEfmt ").u32(16).u16(1).u16(1).u32(8000).u32(16000);
  wave.u16(2).u16(16).text("data").u32(0x7FFFF000).u16(1).u16(2);
  const result<decoded_asset> sound = decode(packed(wave.content));
  ASSERT_TRUE(sound) << sound.error().reason;
  EXPECT_EQ(sound->kind(), asset_kind::sound);
  EXPECT_NE(sound->warning, nullptr);
  EXPECT_EQ(sound->warning_offset, 0u);
}

TEST(gzip_decoder, fails_if_the_file_inside_is_damaged) {
  bytes image = qoi_image();
  image.resize(14);
  EXPECT_EQ(outcome(decode(packed(image))), "corrupt");
}

TEST(gzip_decoder, reports_a_file_cut_anywhere) {
  const bytes file = packed(no_format());
  decode_each_cut(gzip_decoder(), file, [](std::size_t size, const result<decoded_asset>& made) {
    EXPECT_EQ(outcome(made), "corrupt") << size;
  });
}

TEST(gzip_decoder, reports_a_wrong_checksum_and_a_wrong_size) {
  const bytes file = packed(no_format());
  for (const std::size_t from_end : {1u, 8u}) {
    bytes damaged = file;
    damaged[file.size() - from_end] ^= std::byte{1};
    EXPECT_EQ(outcome(decode(damaged)), "corrupt") << from_end;
  }
}

TEST(gzip_decoder, takes_a_damaged_file_by_its_name) {
  bytes other_method = packed(bytes(100, std::byte{1}));
  other_method[2] = std::byte{7};
  bytes reserved_flag = packed(bytes(100, std::byte{1}));
  reserved_flag[3] = std::byte{0x80};
  for (const bytes& file : {bytes{}, bytes(100, std::byte{0x5A}), other_method, reserved_flag}) {
    EXPECT_TRUE(gzip_decoder().accepts("a.gz", file));
    EXPECT_FALSE(gzip_decoder().accepts("a", file));
    EXPECT_EQ(outcome(decode(file)), "corrupt");
  }
}

TEST(gzip_decoder, survives_flipped_bits) {
  decode_flipped(gzip_decoder(), packed(bytes_of(std::string(1000, 'a') + "b")), 1000);
}

TEST(gzip_decoder, states_the_memory_of_the_unpacked_file_at_most) {
  const bytes file = packed(bytes(1'000'000));
  EXPECT_GE(gzip_decoder().memory_needed(file), 1'000'000u);
  bytes lying = file;
  put_u32(lying, lying.size() - 4, 0xFFFF'FFFF);
  EXPECT_LE(gzip_decoder().memory_needed(lying), lying.size() * 1032 + (64u << 10));
}

TEST(gzip_decoder, says_how_much_memory_was_refused) {
  failing_allocator memory(1, true);
  const result<decoded_asset> image = decode(packed(qoi_image()), memory);
  ASSERT_EQ(outcome(image), "out_of_memory");
  EXPECT_EQ(image.error().offset, 4u);
}

TEST(gzip_decoder, reports_refused_memory) {
  expect_refusals(gzip_decoder(), packed(bytes_of("text")));
  expect_refusals(gzip_decoder(), packed(qoi_image()));
}

}  // namespace
}  // namespace overture::gzip_test
