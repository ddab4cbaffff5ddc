// SPDX-License-Identifier: Zlib
#include "load/piece_time.hpp"

#include <gtest/gtest.h>

namespace overture::load_detail::piece_time_test {
namespace {

TEST(piece_time, of_unpacking_goes_by_the_bytes) {
  EXPECT_EQ(unpack_ns(compression::none, 1'000'000, 0), 1'000'000u);
  EXPECT_EQ(unpack_ns(compression::deflate, 1'000'000, 0), 4'000'000u);
  EXPECT_EQ(unpack_ns(compression::none, 1'000, 1'000'000), 25'001'000u);
}

TEST(piece_time, of_decoding_is_learnt_from_each_decoder) {
  decode_times times;
  EXPECT_EQ(times.expected_ns(0, 1u << 20), 1024 * decode_times::usual_ns_per_kib);
  times.add(0, 1u << 20, 1024 * 500);
  EXPECT_EQ(times.expected_ns(0, 2u << 20), 2048u * 500);
  EXPECT_EQ(times.expected_ns(1, 1u << 20), 1024 * decode_times::usual_ns_per_kib);
  times.add(0, 1u << 20, 1024 * 900);
  EXPECT_EQ(times.expected_ns(0, 1u << 20), 1024u * 600);
  times.add(0, 1000, 1u << 30);  // too small to tell anything
  EXPECT_EQ(times.expected_ns(0, 1u << 20), 1024u * 600);
  times.add(1000, 1u << 20, 1);  // no such decoder
  EXPECT_EQ(times.expected_ns(1000, 1024), decode_times::usual_ns_per_kib);
}

TEST(piece_time, of_decoding_goes_by_the_file_or_by_the_memory_it_makes) {
  EXPECT_EQ(decode_times::work(100, 0), 100u);
  EXPECT_EQ(decode_times::work(100, 8'000), 1'000u);
  EXPECT_EQ(decode_times::work(2'000, 8'000), 2'000u);
}

}  // namespace
}  // namespace overture::load_detail::piece_time_test
