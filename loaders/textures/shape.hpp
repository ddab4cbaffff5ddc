// SPDX-License-Identifier: Zlib
//
// Formats, and the sizes that follow from them.
#pragma once

#include <cstdint>

#include "overture/decoders/decoder.hpp"
#include "overture/loaders/texture_loader.hpp"

namespace overture::loaders {

// The format of what a decoder makes.
[[nodiscard]] gpu_format gpu_format_of(texture_format format, bool srgb) noexcept;

struct texture_sides {
  std::uint32_t width = 1;
  std::uint32_t height = 1;  // 0 counts as 1, like depth
  std::uint32_t depth = 1;
};

// The sides of a mip level, and its bytes: all but where it is.
void measure_level(const gpu_format& format, const texture_sides& sides, std::uint32_t level,
                   texture_level& into) noexcept;

}  // namespace overture::loaders
