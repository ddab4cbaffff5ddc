// SPDX-License-Identifier: Zlib
#include "overture/io/pack.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace overture::pack_test {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// Repeats itself, but not at once.
std::string text_of(std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; text.size() < bytes; ++i) {
    text += "line " + std::to_string(i * i % 4093) + '\n';
  }
  text.resize(bytes);
  return text;
}

std::string packed(packer& pack, compression method, std::string_view text) {
  std::string room(packer::packed_bytes_max(method, text.size()), '\0');
  const result<std::size_t> count =
      pack.pack(method, bytes_of(text), std::as_writable_bytes(std::span(room)));
  if (!count) return std::string("error: ") + to_string(count.error().code);
  return room.substr(0, *count);
}

std::string piece(packer& pack, std::string_view text, bool last) {
  std::string room(packer::packed_bytes_max(compression::deflate, text.size()), '\0');
  const result<std::size_t> count =
      pack.pack_piece(bytes_of(text), last, std::as_writable_bytes(std::span(room)));
  if (!count) return std::string("error: ") + to_string(count.error().code);
  return room.substr(0, *count);
}

std::string unpacked(compression method, std::string_view stream, std::size_t bytes) {
  unpacker unpack;
  std::string room(bytes, '\0');
  const result<void> done =
      unpack.unpack(method, bytes_of(stream), std::as_writable_bytes(std::span(room)));
  return done ? room : std::string("error: ") + to_string(done.error().code);
}

TEST(packer, makes_what_the_unpacker_reads) {
  packer pack;
  for (const compression method : {compression::deflate, compression::zstd}) {
    for (const std::size_t bytes : {0u, 1u, 5u, 100'000u, 3'000'000u}) {
      const std::string text = text_of(bytes);
      const std::string stream = packed(pack, method, text);
      EXPECT_EQ(unpacked(method, stream, bytes), text) << to_string(method) << ' ' << bytes;
      EXPECT_EQ(packed(pack, method, text), stream) << "the same bytes each time";
    }
    EXPECT_LT(packed(pack, method, text_of(100'000)).size(), 40'000u);
  }
}

TEST(packer, joins_pieces_to_one_stream) {
  packer pack;
  packer other;
  const std::string text = text_of(300'000);
  const std::string_view all(text);
  const std::string first = piece(pack, all.substr(0, 100'000), false);
  const std::string second = piece(other, all.substr(100'000, 100'000), false);
  const std::string third = piece(pack, all.substr(200'000), true);
  EXPECT_EQ(unpacked(compression::deflate, first + second + third, text.size()), text);
  EXPECT_EQ(piece(other, all.substr(0, 100'000), false), first) << "whatever came before";
}

TEST(packer, makes_pieces_that_refer_to_no_other) {
  packer pack;
  const std::string text = text_of(200'000);
  const std::string second = piece(pack, std::string_view(text).substr(100'000), true);
  EXPECT_EQ(unpacked(compression::deflate, second, 100'000), text.substr(100'000));
}

TEST(packer, says_what_it_cannot_do) {
  packer pack;
  EXPECT_EQ(packed(pack, compression::lz4, "text"), "error: unsupported");
  EXPECT_EQ(packer::packed_bytes_max(compression::none, 7), 0u);
  const std::string text = text_of(5'000);
  std::byte little[100];
  for (const compression method : {compression::deflate, compression::zstd}) {
    const result<std::size_t> count = pack.pack(method, bytes_of(text), little);
    ASSERT_FALSE(count);
    EXPECT_EQ(count.error().code, errc::invalid) << to_string(method);
  }
  EXPECT_EQ(pack.pack_piece(bytes_of(text), false, little).error().code, errc::invalid);
  EXPECT_EQ(pack.pack_piece(bytes_of(text), true, little).error().code, errc::invalid);
}

}  // namespace
}  // namespace overture::pack_test
