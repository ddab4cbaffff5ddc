// SPDX-License-Identifier: Zlib
#include "sounds/codecs/samples.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace overture::samples_test {
namespace {

using namespace sounds_detail;

constexpr std::array edges = {0.0f,
                              1.0f,
                              -1.0f,
                              0.99999f,
                              -0.99999f,
                              1.5f,
                              -1.5f,
                              1e9f,
                              -1e9f,
                              1e30f,
                              -1e30f,
                              0.5f / 32768,
                              1.5f / 32768,
                              2.5f / 32768,
                              -0.5f / 32768,
                              32766.5f / 32768,
                              32767.5f / 32768};

TEST(samples_of_music, become_integers_by_rounding_and_are_cut_to_the_range) {
  for (const float sample : edges) {
    const double whole = std::nearbyint(static_cast<double>(sample) * 32768.0);
    const double within = std::min(32767.0, std::max(-32768.0, whole));
    EXPECT_EQ(to_int16(sample), static_cast<std::int16_t>(within)) << sample;
  }
  EXPECT_EQ(to_int16(std::numeric_limits<float>::quiet_NaN()), -32768) << "as by libvorbisfile";
}

// Several at a time or one by one: each length has its own number of both.
TEST(samples_of_music, are_the_same_in_vectors_and_alone) {
  for (std::size_t count = 0; count < 14; ++count) {
    std::vector<float> left(count + 3);
    std::vector<float> right(count + 3);
    for (std::size_t i = 0; i < left.size(); ++i) {
      left[i] = edges[i % edges.size()];
      right[i] = edges[(i * 5 + 3) % edges.size()];
    }
    const float* const planes[] = {left.data(), right.data()};
    std::vector<std::int16_t> integers(2 * count + 1, 77);
    write_planes({reinterpret_cast<std::byte*>(integers.data()), count, 2, sound_samples::int16},
                 planes, 3, count);
    std::vector<float> floats(2 * count + 1, 77.0f);
    write_planes({reinterpret_cast<std::byte*>(floats.data()), count, 2, sound_samples::float32},
                 planes, 3, count);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(integers[2 * i], to_int16(left[i + 3]));
      EXPECT_EQ(integers[2 * i + 1], to_int16(right[i + 3]));
      EXPECT_EQ(floats[2 * i], left[i + 3]);
      EXPECT_EQ(floats[2 * i + 1], right[i + 3]);
    }
    EXPECT_EQ(integers.back(), 77) << "nothing is written behind them";
    EXPECT_EQ(floats.back(), 77.0f);
  }
}

}  // namespace
}  // namespace overture::samples_test
