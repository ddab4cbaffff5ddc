// SPDX-License-Identifier: Zlib
#include "io/unpack/piece_unpacker.hpp"

#include <gtest/gtest.h>

#include <string>

#include "io/unpack/packed_samples.hpp"

namespace overture::piece_unpacker_test {
namespace {

using io_detail::piece_unpacker;

struct seen {
  std::string bytes;
  bool complete = false;
  bool failed = false;
};

// Unpacks with pieces of these sizes.
seen unpack(compression method, std::string_view packed, std::size_t in, std::size_t out) {
  piece_unpacker tables(default_allocator(), method);
  seen all;
  std::string room(out, '\0');
  std::span<const std::byte> left;
  for (;;) {
    if (left.empty()) {
      left = std::as_bytes(std::span(packed.substr(0, in)));
      packed.remove_prefix(left.size());
    }
    const std::size_t before = left.size();
    const result<std::size_t> count = tables.unpack(left, std::as_writable_bytes(std::span(room)));
    if (!count) {
      all.failed = true;
      EXPECT_EQ(count.error().code, errc::corrupt);
      return all;
    }
    all.bytes += room.substr(0, *count);
    if (*count == 0 && left.size() == before) break;
  }
  all.complete = tables.complete();
  return all;
}

constexpr compression methods[] = {compression::none, compression::deflate, compression::zlib,
                                   compression::zstd, compression::lz4};

TEST(piece_unpacker, makes_the_same_bytes_from_pieces_of_any_size) {
  const std::string content = sample(300'000);
  for (const compression method : methods) {
    const std::string small = packed(method, content);
    for (const std::size_t in : {1u, 777u, 1u << 20}) {
      for (const std::size_t out : {5u, 70'000u, 1u << 20}) {
        const seen all = unpack(method, small, in, out);
        EXPECT_EQ(all.bytes, content) << to_string(method) << " " << in << " " << out;
        EXPECT_TRUE(all.complete);
      }
    }
  }
}

TEST(piece_unpacker, goes_on_with_the_next_frame) {
  const std::string content = sample(50'000);
  EXPECT_EQ(unpack(compression::zstd, zstd_frames(content, 7'000), 100, 100).bytes, content);
}

TEST(piece_unpacker, refuses_a_zstd_window_of_more_than_128_mib) {
  for (const int window_log : {27, 28}) {
    std::string frame("\x28\xB5\x2F\xFD\0", 5);
    frame += static_cast<char>((window_log - 10) << 3);
    frame += std::string("\x53\0\0x", 4);  // one block, ten times the same byte
    piece_unpacker tables(default_allocator(), compression::zstd);
    std::span<const std::byte> left = std::as_bytes(std::span(frame));
    std::byte room[100];
    const result<std::size_t> count = tables.unpack(left, room);
    if (window_log == 27) {
      EXPECT_TRUE(count && *count == 10);
    } else {
      ASSERT_FALSE(count);
      EXPECT_EQ(count.error().code, errc::unsupported);
    }
  }
}

TEST(piece_unpacker, notices_that_a_stream_is_cut_or_damaged) {
  const std::string content = sample(100'000);
  for (const compression method : methods) {
    if (method == compression::none) continue;
    const std::string small = packed(method, content);
    const seen cut = unpack(method, small.substr(0, small.size() / 2), 1000, 1000);
    EXPECT_TRUE(cut.failed || !cut.complete) << to_string(method);
    std::string damaged = small;
    for (std::size_t at = 0; at < 8; ++at) damaged[at] ^= '\x7F';
    const seen wrong = unpack(method, damaged, 1000, 1000);
    EXPECT_TRUE(wrong.failed || !wrong.complete || wrong.bytes != content) << to_string(method);
  }
}

}  // namespace
}  // namespace overture::piece_unpacker_test
