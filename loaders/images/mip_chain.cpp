// SPDX-License-Identifier: Zlib
#include "loaders/images/mip_chain.hpp"

namespace overture::loaders {

namespace {

constexpr std::size_t channels = 4;

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
      for (std::size_t c = 0; c < channels; ++c) out[c] = (row[c] + row[channels + c]) * 0.5F;
    }
    return;
  }
  for (std::uint32_t x = 0; x < width; ++x, row += 2 * channels, out += channels) {
    const mip_taps taps = taps_of(to.width, x);
    for (std::size_t c = 0; c < channels; ++c) {
      out[c] = row[c] * taps.weight[0];
      for (std::uint32_t tap = 1; tap < taps.count; ++tap) {
        out[c] += row[tap * channels + c] * taps.weight[tap];
      }
    }
  }
}

void mip_chain::weigh(const step& to, float weight, bool first) noexcept {
  const std::size_t count = std::max(to.width / 2, 1u) * channels;
  if (first) {
    for (std::size_t i = 0; i < count; ++i) to.sum[i] = to.halved[i] * weight;
  } else {
    for (std::size_t i = 0; i < count; ++i) to.sum[i] += to.halved[i] * weight;
  }
}

}  // namespace overture::loaders
