// SPDX-License-Identifier: Zlib
//
// Pixels of decoded images, for the decoders of our own.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "decoders/image_size.hpp"
#include "overture/decoders/decoder.hpp"

namespace overture::decoders_detail {

// Red at the lowest address, written with one store.
using pixel = std::uint32_t;

constexpr pixel rgba(std::uint32_t red, std::uint32_t green, std::uint32_t blue,
                     std::uint32_t alpha) noexcept {
  return std::endian::native == std::endian::little ? red | green << 8 | blue << 16 | alpha << 24
                                                    : red << 24 | green << 16 | blue << 8 | alpha;
}

// An image of this size, not yet filled. Errors: limit, out_of_memory.
[[nodiscard]] inline result<decoded_asset> make_image(std::uint32_t width, std::uint32_t height,
                                                      std::uint64_t file_bytes,
                                                      allocator& memory) noexcept {
  const std::uint64_t bytes = std::uint64_t{width} * height * sizeof(pixel);
  if (const result<void> checked = check_image_size(width, height, bytes, file_bytes); !checked) {
    return tl::unexpected<error>(checked.error());
  }
  result<decoded_asset> image = decoded_asset::make(asset_kind::image, bytes, memory);
  if (!image) return image;
  image->width = width;
  image->height = height;
  return image;
}

// What make_image() takes; 0 if it would refuse the size.
[[nodiscard]] inline std::uint64_t image_bytes(std::uint32_t width, std::uint32_t height,
                                               std::uint64_t file_bytes) noexcept {
  const std::uint64_t bytes = std::uint64_t{width} * height * sizeof(pixel);
  return check_image_size(width, height, bytes, file_bytes) ? bytes : 0;
}

[[nodiscard]] inline std::span<pixel> pixels_of(const decoded_asset& image) noexcept {
  return {reinterpret_cast<pixel*>(image.bytes().data()), image.bytes().size() / sizeof(pixel)};
}

}  // namespace overture::decoders_detail
