// SPDX-License-Identifier: Zlib
#include "loaders/images/mip_chain.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "loaders/images/layout.hpp"
#include "support/failing_allocator.hpp"

namespace overture::mip_chain_test {
namespace {

using namespace test;
using loaders::image_layout;
using loaders::image_level;
using loaders::mip_chain;
using loaders::taps_of;

using level_rows = std::vector<float>;  // four floats a pixel

// How much of the pixel from `i` to `i + 1` lies from `begin` to `end`.
double overlap(double begin, double end, std::size_t i) {
  const auto at = static_cast<double>(i);
  return std::max(0.0, std::min(end, at + 1) - std::max(begin, at));
}

// A level as the mean of what its pixels cover, from its definition.
level_rows smaller(const level_rows& from, const image_level& above, const image_level& level) {
  level_rows made(std::size_t{level.width} * level.height * 4);
  const double wide = static_cast<double>(above.width) / level.width;
  const double high = static_cast<double>(above.height) / level.height;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::size_t x = i / 4 % level.width;
    const std::size_t y = i / 4 / level.width;
    double sum = 0;
    for (std::size_t row = 0; row < above.height; ++row) {
      const auto top = static_cast<double>(y) * high;
      const double part = overlap(top, top + high, row);
      for (std::size_t column = 0; column < above.width && part > 0; ++column) {
        const auto left = static_cast<double>(x) * wide;
        sum += part * overlap(left, left + wide, column) *
               static_cast<double>(from[(row * above.width + column) * 4 + i % 4]);
      }
    }
    made[i] = static_cast<float>(sum / wide / high);
  }
  return made;
}

void expect_means(std::uint32_t width, std::uint32_t height) {
  const image_layout layout = *loaders::layout_of(width, height, {.mips = true});
  std::minstd_rand random(width * 100 + height);
  level_rows image(std::size_t{width} * height * 4);
  for (float& each : image) each = static_cast<float>(random() % 1000) / 1000;
  tracking_allocator memory;
  {
    mip_chain chain(memory);
    ASSERT_TRUE(chain.begin(layout));
    std::map<std::uint32_t, level_rows> made;
    for (std::uint32_t y = 0; y < height; ++y) {
      std::copy_n(image.data() + std::size_t{y} * width * 4, std::size_t{width} * 4, chain.row());
      chain.add([&](std::uint32_t level, std::uint32_t at, const float* row) {
        level_rows& rows = made[level];
        const std::size_t floats = std::size_t{layout.level[level].width} * 4;
        EXPECT_EQ(rows.size(), at * floats);
        rows.insert(rows.end(), row, row + floats);
      });
    }
    EXPECT_EQ(made.size(), layout.levels - 1);
    for (std::uint32_t level = 1; level < layout.levels; ++level) {
      image = smaller(image, layout.level[level - 1], layout.level[level]);
      ASSERT_EQ(made[level].size(), image.size()) << width << " x " << height << ", " << level;
      for (std::size_t i = 0; i < image.size(); ++i) {
        ASSERT_NEAR(made[level][i], image[i], 1e-5) << width << " x " << height << ", " << level;
      }
    }
  }
  EXPECT_EQ(memory.total().bytes, 0u);
}

TEST(mip_chain, makes_pixels_the_mean_of_what_they_cover_at_every_size) {
  for (std::uint32_t width = 1; width <= 17; ++width) {
    for (std::uint32_t height = 1; height <= 17; ++height) expect_means(width, height);
  }
  expect_means(100, 1);
  expect_means(1, 101);
}

TEST(mip_chain, weighs_every_pixel_alike) {
  for (std::uint32_t larger = 1; larger < 40; ++larger) {
    std::vector<double> weight(larger);
    for (std::uint32_t i = 0; i < std::max(larger / 2, 1u); ++i) {
      const loaders::mip_taps taps = taps_of(larger, i);
      for (std::uint32_t tap = 0; tap < taps.count; ++tap) {
        weight.at(2 * i + tap) += static_cast<double>(taps.weight[tap]);
      }
    }
    for (const double each : weight) EXPECT_NEAR(each, weight[0], 1e-6) << larger;
  }
}

TEST(mip_chain, reports_memory_that_is_refused) {
  failing_allocator memory(0);
  mip_chain chain(memory);
  EXPECT_EQ(chain.begin(*loaders::layout_of(4, 4, {.mips = true})).error().code,
            errc::out_of_memory);
}

}  // namespace
}  // namespace overture::mip_chain_test
