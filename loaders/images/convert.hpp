// SPDX-License-Identifier: Zlib
//
// Rows of pixels: order, alpha, and light.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "overture/decoders/decoder.hpp"

namespace overture::loaders {

// The light of an sRGB value, 0 to 1.
[[nodiscard]] float light_of(std::uint8_t srgb) noexcept;
// The nearest sRGB value of a light.
[[nodiscard]] std::uint8_t srgb_of(float light) noexcept;

struct conversion {
  pixel_order order = pixel_order::rgba;
  bool premultiplied = false;
  bool srgb = true;

  [[nodiscard]] bool changes_nothing() const noexcept {
    return order == pixel_order::rgba && !premultiplied;
  }
};

// Converts a row of RGBA. The rows do not overlap.
void convert_row(const std::byte* from, std::byte* to, std::size_t pixels,
                 const conversion& how) noexcept;

// A row of RGBA as light that is multiplied by alpha, four floats a pixel; and back.
void to_light(const std::byte* from, float* to, std::size_t pixels, bool srgb) noexcept;
void from_light(const float* from, std::byte* to, std::size_t pixels,
                const conversion& how) noexcept;

}  // namespace overture::loaders
