// SPDX-License-Identifier: Zlib
#include "load/read_times.hpp"

#include <gtest/gtest.h>

namespace overture::load_detail::read_times_test {
namespace {

TEST(read_times, are_known_to_an_eighth) {
  for (unsigned bit = 0; bit < 63; ++bit) {
    for (const std::uint64_t more : {std::uint64_t{0}, (std::uint64_t{1} << bit) / 3}) {
      const std::uint64_t ns = (std::uint64_t{1} << bit) + more;
      const std::uint64_t told = read_times::time_of(read_times::bin_of(ns));
      EXPECT_LE(told > ns ? told - ns : ns - told, ns / 8) << ns;
    }
  }
}

TEST(read_times, have_a_median_and_a_99th_percentile) {
  read_times times;
  EXPECT_EQ(times.percentile(50), 0u);
  for (int i = 0; i < 60; ++i) times.add(1'000);
  for (int i = 0; i < 38; ++i) times.add(100'000);
  times.add(9'000'000);
  times.add(90'000'000);
  EXPECT_NEAR(static_cast<double>(times.percentile(50)), 1e3, 1e3 / 8);
  EXPECT_NEAR(static_cast<double>(times.percentile(99)), 9e6, 9e6 / 8);
  EXPECT_NEAR(static_cast<double>(times.percentile(100)), 9e7, 9e7 / 8);
}

}  // namespace
}  // namespace overture::load_detail::read_times_test
