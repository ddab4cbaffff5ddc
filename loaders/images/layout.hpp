// SPDX-License-Identifier: Zlib
//
// Where the levels of an image are.
#pragma once

#include <cstdint>

#include "overture/base/error.hpp"
#include "overture/loaders/image_loader.hpp"

namespace overture::loaders {

// Sizes, offsets and pitches; the sides are within the limits. Errors: invalid (an alignment).
[[nodiscard]] result<image_layout> layout_of(std::uint32_t width, std::uint32_t height,
                                             const image_options& options) noexcept;

// Puts levels and rows where the host wishes, in memory of so many bytes. Errors: invalid,
// no_space.
[[nodiscard]] result<void> accept(const image_layout& wish, image_layout& layout,
                                  std::uint64_t bytes) noexcept;

}  // namespace overture::loaders
