// SPDX-License-Identifier: Zlib
//
// Which sizes of image are decoded. Decoders of formats that compress ask before they allocate; TGA
// and DDS files have a byte for at most 64 pixels.
#pragma once

#include <cstdint>

#include "overture/base/error.hpp"

namespace overture::decoders_detail {

// Error: limit.
[[nodiscard]] result<void> check_image_size(std::uint32_t width, std::uint32_t height,
                                            std::uint64_t decoded_bytes,
                                            std::uint64_t file_bytes) noexcept;

}  // namespace overture::decoders_detail
