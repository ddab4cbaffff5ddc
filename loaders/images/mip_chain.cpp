// SPDX-License-Identifier: Zlib
#include "loaders/images/mip_chain.hpp"

#include <cstring>

namespace overture::loaders {

namespace {

constexpr std::size_t channels = 4;

// Four numbers that are loaded, changed and stored together, which compilers turn into a vector.
struct light_pixel {
  float value[channels];

  friend light_pixel operator+(const light_pixel& a, const light_pixel& b) noexcept {
    light_pixel sum;
    for (std::size_t c = 0; c < channels; ++c) sum.value[c] = a.value[c] + b.value[c];
    return sum;
  }
  friend light_pixel operator*(const light_pixel& a, float factor) noexcept {
    light_pixel product;
    for (std::size_t c = 0; c < channels; ++c) product.value[c] = a.value[c] * factor;
    return product;
  }
};

light_pixel pixel_at(const float* from) noexcept {
  light_pixel pixel;
  std::memcpy(&pixel, from, sizeof pixel);
  return pixel;
}
void put(const light_pixel& pixel, float* to) noexcept {
  std::memcpy(to, &pixel, sizeof pixel);
}

}  // namespace

mip_taps taps_of(std::uint32_t larger, std::uint32_t i) noexcept {
  if (larger == 1) return {1, {1}};
  if (larger % 2 == 0) return {2, {0.5F, 0.5F}};
  // (2n + 1) / n pixels wide: the parts of the first and the last change from pixel to pixel.
  const std::uint32_t n = larger / 2;
  const auto whole = static_cast<float>(larger);
  return {3,
          {static_cast<float>(n - i) / whole, static_cast<float>(n) / whole,
           static_cast<float>(i + 1) / whole}};
}

mip_chain::~mip_chain() {
  if (rows_ != nullptr) memory_.deallocate(rows_, bytes_, alignof(float), memory_tag::decode);
}

result<void> mip_chain::begin(const image_layout& layout) noexcept {
  levels_ = layout.levels;
  std::size_t floats = layout.level[0].width * channels;
  for (std::uint32_t i = 1; i < levels_; ++i) floats += layout.level[i].width * channels * 2;
  bytes_ = floats * sizeof(float);
  rows_ = static_cast<float*>(memory_.allocate(bytes_, alignof(float), memory_tag::decode));
  if (rows_ == nullptr) {
    return fail(errc::out_of_memory, "out of memory for the mip levels of an image");
  }
  float* next = rows_ + layout.level[0].width * channels;
  for (std::uint32_t i = 0; i + 1 < levels_; ++i) {
    const std::size_t row = layout.level[i + 1].width * channels;
    steps_[i] = {.width = layout.level[i].width,
                 .height = layout.level[i].height,
                 .halved = next,
                 .sum = next + row};
    next += 2 * row;
  }
  return {};
}

void mip_chain::halve(const step& to, const float* row) noexcept {
  const std::uint32_t width = std::max(to.width / 2, 1u);
  float* out = to.halved;
  if (to.width % 2 == 0) {
    for (std::uint32_t x = 0; x < width; ++x, row += 2 * channels, out += channels) {
      put((pixel_at(row) + pixel_at(row + channels)) * 0.5F, out);
    }
    return;
  }
  for (std::uint32_t x = 0; x < width; ++x, row += 2 * channels, out += channels) {
    const mip_taps taps = taps_of(to.width, x);
    light_pixel sum = pixel_at(row) * taps.weight[0];
    for (std::uint32_t tap = 1; tap < taps.count; ++tap) {
      sum = sum + pixel_at(row + tap * channels) * taps.weight[tap];
    }
    put(sum, out);
  }
}

void mip_chain::weigh(const step& to, float weight, bool first) noexcept {
  const std::size_t count = std::max(to.width / 2, 1u) * channels;
  for (std::size_t i = 0; i < count; i += channels) {
    const light_pixel part = pixel_at(to.halved + i) * weight;
    put(first ? part : pixel_at(to.sum + i) + part, to.sum + i);
  }
}

}  // namespace overture::loaders
