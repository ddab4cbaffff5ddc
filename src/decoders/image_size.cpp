// SPDX-License-Identifier: Zlib
#include "decoders/image_size.hpp"

#include "base/limit_text.hpp"
#include "overture/base/limits.hpp"

namespace overture::decoders_detail {

result<void> check_image_size(std::uint32_t width, std::uint32_t height,
                              std::uint64_t decoded_bytes, std::uint64_t file_bytes) noexcept {
  if (width > limits::image_side_max || height > limits::image_side_max) {
    return fail(errc::limit, limit_text::image_side);
  }
  if (decoded_bytes > limits::image_bytes_max) return fail(errc::limit, limit_text::image_bytes);
  const std::uint64_t pixels = std::uint64_t{width} * height;
  if (decoded_bytes > limits::image_bytes_always &&
      pixels > file_bytes * limits::image_pixels_per_byte_max) {
    return fail(errc::limit, limit_text::image_ratio);
  }
  return {};
}

}  // namespace overture::decoders_detail
