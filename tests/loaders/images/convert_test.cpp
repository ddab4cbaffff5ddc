// SPDX-License-Identifier: Zlib
#include "loaders/images/convert.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace overture::convert_test {
namespace {

using namespace loaders;

double curve(double value) {
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

TEST(convert, takes_every_value_to_light_and_back) {
  for (unsigned i = 0; i < 256; ++i) {
    const auto value = static_cast<std::uint8_t>(i);
    EXPECT_NEAR(light_of(value), curve(i / 255.0), 1e-6);
    EXPECT_EQ(srgb_of(light_of(value)), value);
  }
  EXPECT_EQ(srgb_of(-1), 0);
  EXPECT_EQ(srgb_of(2), 255);
}

TEST(convert, finds_the_nearest_value_of_any_light) {
  for (unsigned i = 0; i < 255; ++i) {
    const auto between = static_cast<float>(curve((i + 0.5) / 255));
    EXPECT_EQ(srgb_of(between * 0.9999F), i);
    EXPECT_EQ(srgb_of(between * 1.0001F), i + 1);
  }
}

TEST(convert, rounds_what_is_multiplied) {
  for (unsigned colour = 0; colour < 256; ++colour) {
    for (unsigned alpha = 0; alpha < 256; ++alpha) {
      const std::array<std::byte, 4> from = {
          static_cast<std::byte>(colour), {}, {}, static_cast<std::byte>(alpha)};
      std::array<std::byte, 4> to{};
      convert_row(from.data(), to.data(), 1, {.premultiplied = true, .srgb = false});
      ASSERT_EQ(std::to_integer<unsigned>(to[0]), std::lround(colour * alpha / 255.0));
    }
  }
}

TEST(convert, converts_each_pixel_of_a_row_as_it_would_alone) {
  std::vector<std::byte> from;
  for (unsigned i = 0; i < 400; ++i) {
    const unsigned alpha = i / 20 % 2 == 0 ? 255 : i % 7 * 40;
    for (const unsigned each : {i * 7 & 255, i * 13 & 255, i * 29 & 255, alpha}) {
      from.push_back(std::byte(each));
    }
  }
  for (const pixel_order order : {pixel_order::rgba, pixel_order::bgra}) {
    for (const bool premultiplied : {false, true}) {
      const conversion how{order, premultiplied, true};
      std::vector<std::byte> row(from.size());
      std::vector<std::byte> alone(from.size());
      convert_row(from.data(), row.data(), 400, how);
      for (std::size_t i = 0; i < from.size(); i += 4) {
        convert_row(&from[i], &alone[i], 1, how);
      }
      EXPECT_EQ(row, alone);
    }
  }
}

TEST(convert, goes_to_light_and_back_unchanged) {
  std::vector<std::byte> from;
  for (unsigned i = 0; i < 256; ++i) {
    for (const unsigned each : {i, 255 - i, i / 2, 255u}) from.push_back(std::byte(each));
  }
  std::vector<float> light(from.size());
  std::vector<std::byte> back(from.size());
  for (const bool srgb : {true, false}) {
    to_light(from.data(), light.data(), 256, srgb);
    from_light(light.data(), back.data(), 256, {.srgb = srgb});
    EXPECT_EQ(back, from);
  }
}

}  // namespace
}  // namespace overture::convert_test
