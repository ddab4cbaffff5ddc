// SPDX-License-Identifier: Zlib
#include "io/unpack/unpack_plan.hpp"

#include <gtest/gtest.h>

#include "io/unpack/packed_samples.hpp"

namespace overture::unpack_plan_test {
namespace {

using io_detail::unpack_plan;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// Unpacks the parts from the last to the first; "" or the first error.
std::string by_parts(compression method, std::string_view from, std::string& to,
                     std::size_t& parts) {
  unpacker tables;
  unpack_plan plan;
  plan.make(method, bytes_of(from), to.size());
  parts = plan.part_count();
  for (std::size_t i = parts; i-- > 0;) {
    const result<void> outcome =
        plan.unpack(i, tables, method, bytes_of(from), std::as_writable_bytes(std::span(to)));
    if (!outcome) return to_string(outcome.error().code);
  }
  return plan.holds(std::as_bytes(std::span(to))) ? "" : "checksum";
}

TEST(unpack_plan, every_method_gives_the_bytes_back) {
  for (const compression method : all_methods) {
    for (const std::size_t bytes : {0u, 1u, 15u, 16u, 1'000u, 300'000u}) {
      const std::string data = sample(bytes);
      std::string room(bytes, '?');
      std::size_t parts = 0;
      EXPECT_EQ(by_parts(method, packed(method, data), room, parts), "") << to_string(method);
      EXPECT_EQ(room == data, true) << to_string(method) << bytes;
      EXPECT_EQ(parts, 1u);
    }
  }
}

TEST(unpack_plan, frames_and_independent_blocks_are_parts_of_their_own) {
  const std::string data = sample(3'000'000);
  for (const std::size_t frame : {64u << 10, 100'001u, 1u << 20}) {
    std::string room(data.size(), '?');
    std::size_t parts = 0;
    EXPECT_EQ(by_parts(compression::zstd, zstd_frames(data, frame), room, parts), "");
    EXPECT_TRUE(room == data);
    EXPECT_GT(parts, 1u);
    EXPECT_LE(parts, unpack_plan::parts_max);
  }
  for (const bool checksums : {false, true}) {
    for (const LZ4F_blockSizeID_t size : {LZ4F_max64KB, LZ4F_max256KB, LZ4F_max1MB}) {
      std::string room(data.size(), '?');
      std::size_t parts = 0;
      const std::string frame = lz4_frame(data, LZ4F_blockIndependent, size, checksums);
      EXPECT_EQ(by_parts(compression::lz4, frame, room, parts), "");
      EXPECT_TRUE(room == data);
      EXPECT_GT(parts, 2u);
      EXPECT_LE(parts, unpack_plan::parts_max);
    }
  }
}

TEST(unpack_plan, the_announced_size_is_the_bound) {
  const std::string data = sample(700'000);
  for (const std::string& frames :
       {zstd_frames(data, 100'000), lz4_frame(data, LZ4F_blockIndependent)}) {
    const compression method = frames[0] == '\x04' ? compression::lz4 : compression::zstd;
    for (const std::size_t bytes : {0u, 1u, 65'536u, 200'000u, 699'999u, 700'001u, 900'000u}) {
      std::string room(bytes, '?');
      std::size_t parts = 0;
      EXPECT_EQ(by_parts(method, frames, room, parts), "corrupt") << to_string(method) << bytes;
    }
  }
}

TEST(unpack_plan, any_bit_that_is_flipped_is_found_or_harmless) {
  const std::string data = sample(200'000);
  const std::string good = lz4_frame(data, LZ4F_blockIndependent);
  for (std::size_t at = 0; at < good.size(); at += at < 40 ? 1 : 97) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1 << at % 8);
    std::string room(data.size(), '?');
    std::size_t parts = 0;
    if (by_parts(compression::lz4, bad, room, parts).empty()) {
      EXPECT_TRUE(room == data) << at;
    }
  }
}

TEST(unpack_plan, empty_frames_without_number_stay_few_parts) {
  const std::string empty = zstd_frames("", 1);
  std::string many;
  for (int i = 0; i < 10'000; ++i) many += empty;
  const std::string data = sample(400'000);
  std::string room(data.size(), '?');
  std::size_t parts = 0;
  EXPECT_EQ(by_parts(compression::zstd, many + zstd_frames(data, 70'000) + many, room, parts), "");
  EXPECT_TRUE(room == data);
  EXPECT_LE(parts, unpack_plan::parts_max);
}

}  // namespace
}  // namespace overture::unpack_plan_test
