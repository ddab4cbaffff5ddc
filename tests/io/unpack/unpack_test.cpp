// SPDX-License-Identifier: Zlib
#include "overture/io/unpack.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace overture::unpack_test {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// What comes out if `bytes` bytes are asked for, or "error: CODE".
std::string unpacked(compression method, std::string_view packed, std::size_t bytes) {
  unpacker tables;
  std::vector<char> room(bytes);
  const result<void> outcome =
      tables.unpack(method, bytes_of(packed), std::as_writable_bytes(std::span(room)));
  if (!outcome) return std::string("error: ") + to_string(outcome.error().code);
  return {room.begin(), room.end()};
}

constexpr std::string_view hello_deflated("\xCB\x48\xCD\xC9\xC9\x07\x00", 7);
constexpr std::string_view nothing_deflated("\x03\x00", 2);

TEST(unpacker, copies_what_is_stored) {
  EXPECT_EQ(unpacked(compression::none, "hello", 5), "hello");
  EXPECT_EQ(unpacked(compression::none, "", 0), "");
}

TEST(unpacker, unpacks_deflate) {
  EXPECT_EQ(unpacked(compression::deflate, hello_deflated, 5), "hello");
  EXPECT_EQ(unpacked(compression::deflate, nothing_deflated, 0), "");
}

TEST(unpacker, unpacks_one_after_another) {
  unpacker tables;
  for (int i = 0; i < 3; ++i) {
    std::array<char, 5> room{};
    ASSERT_TRUE(tables.unpack(compression::deflate, bytes_of(hello_deflated),
                              std::as_writable_bytes(std::span(room))));
    EXPECT_EQ(std::string_view(room.data(), room.size()), "hello");
    EXPECT_FALSE(tables.unpack(compression::deflate, bytes_of("\xFF\xFF"),
                               std::as_writable_bytes(std::span(room))));
  }
}

TEST(unpacker, reports_a_wrong_size_as_corrupt) {
  for (const std::size_t bytes : {0u, 4u, 6u, 100u}) {
    EXPECT_EQ(unpacked(compression::deflate, hello_deflated, bytes), "error: corrupt") << bytes;
    EXPECT_EQ(unpacked(compression::none, "hello", bytes), "error: corrupt") << bytes;
  }
  EXPECT_EQ(unpacked(compression::deflate, nothing_deflated, 1), "error: corrupt");
}

TEST(unpacker, reports_broken_data_as_corrupt) {
  EXPECT_EQ(unpacked(compression::deflate, "", 5), "error: corrupt");
  EXPECT_EQ(unpacked(compression::deflate, "", 0), "error: corrupt");
  for (std::size_t cut = 1; cut + 2 < hello_deflated.size(); ++cut) {
    EXPECT_EQ(unpacked(compression::deflate, hello_deflated.substr(0, cut), 5), "error: corrupt");
  }
}

TEST(unpacker, refuses_unknown_methods) {
  EXPECT_EQ(unpacked(static_cast<compression>(99), "hello", 5), "error: unsupported");
}

TEST(crc32, is_that_of_zip) {
  EXPECT_EQ(crc32(bytes_of("123456789")), 0xCBF43926u);
  EXPECT_EQ(crc32({}), 0u);
  EXPECT_EQ(crc32(bytes_of("6789"), crc32(bytes_of("12345"))), 0xCBF43926u);
  EXPECT_EQ(crc32({}, 7u), 7u);
}

}  // namespace
}  // namespace overture::unpack_test
