// SPDX-License-Identifier: Zlib
//
// Reads big-endian numbers, on any machine and at any alignment.
#pragma once

#include "base/little_endian.hpp"

namespace overture::base_detail {

[[nodiscard]] inline std::uint32_t load_u16_big(const std::byte* at) noexcept {
  return load_u8(at) << 8 | load_u8(at + 1);
}
[[nodiscard]] inline std::uint32_t load_u32_big(const std::byte* at) noexcept {
  return load_u16_big(at) << 16 | load_u16_big(at + 2);
}

}  // namespace overture::base_detail
