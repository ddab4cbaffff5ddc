// SPDX-License-Identifier: Zlib
#include "loaders/images/layout.hpp"

#include <algorithm>
#include <bit>

namespace overture::loaders {

namespace {

constexpr std::uint32_t alignment_max = 65536;

bool is_alignment(std::uint32_t value) noexcept {
  return std::has_single_bit(value) && value <= alignment_max;
}

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t to) noexcept {
  return (value + to - 1) & ~(to - 1);
}

}  // namespace

result<image_layout> layout_of(std::uint32_t width, std::uint32_t height,
                               const image_options& options) noexcept {
  if (!is_alignment(options.row_alignment) || !is_alignment(options.level_alignment)) {
    return fail(errc::invalid, "an alignment must be a power of two up to 65,536");
  }
  image_layout made;
  const auto all = static_cast<std::uint32_t>(std::bit_width(std::max(width, height)));
  made.levels = options.mips ? std::min(all, image_levels_max) : 1;
  for (std::uint32_t i = 0; i < made.levels; ++i) {
    image_level& level = made.level[i];
    level.width = std::max(width >> i, 1u);
    level.height = std::max(height >> i, 1u);
    level.offset = rounded_up(made.bytes, options.level_alignment);
    level.row_pitch = rounded_up(std::uint64_t{level.width} * 4, options.row_alignment);
    made.bytes = level.offset + level.row_pitch * level.height;
  }
  return made;
}

result<void> accept(const image_layout& wish, image_layout& layout, std::uint64_t bytes) noexcept {
  layout.bytes = 0;
  for (std::uint32_t i = 0; i < layout.levels; ++i) {
    image_level& level = layout.level[i];
    level.offset = wish.level[i].offset;
    level.row_pitch = wish.level[i].row_pitch;
    const std::uint64_t row = std::uint64_t{level.width} * 4;
    if (level.row_pitch < row) {
      return fail(errc::invalid, "the row pitch is smaller than a row of the image");
    }
    // The last row needs no padding.
    if (level.offset > bytes || bytes - level.offset < row ||
        (bytes - level.offset - row) / level.row_pitch < level.height - 1) {
      return fail(errc::no_space, "the host's memory is too small for the image");
    }
    const std::uint64_t end = level.offset + level.row_pitch * (level.height - 1) + row;
    layout.bytes = std::max(layout.bytes, end);
  }
  return {};
}

}  // namespace overture::loaders
