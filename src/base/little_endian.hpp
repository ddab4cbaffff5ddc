// SPDX-License-Identifier: Zlib
//
// Reads little-endian numbers, on any machine and at any alignment.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace overture::base_detail {

[[nodiscard]] inline std::uint32_t load_u8(const std::byte* at) noexcept {
  return std::to_integer<std::uint32_t>(*at);
}
[[nodiscard]] inline std::uint32_t load_u16(const std::byte* at) noexcept {
  return load_u8(at) | load_u8(at + 1) << 8;
}
[[nodiscard]] inline std::int32_t load_i16(const std::byte* at) noexcept {
  return static_cast<std::int16_t>(load_u16(at));
}
[[nodiscard]] inline std::uint32_t load_u24(const std::byte* at) noexcept {
  return load_u16(at) | load_u8(at + 2) << 16;
}
[[nodiscard]] inline std::uint32_t load_u32(const std::byte* at) noexcept {
  return load_u16(at) | load_u16(at + 2) << 16;
}
[[nodiscard]] inline std::uint64_t load_u64(const std::byte* at) noexcept {
  return load_u32(at) | std::uint64_t{load_u32(at + 4)} << 32;
}
[[nodiscard]] inline float load_f32(const std::byte* at) noexcept {
  return std::bit_cast<float>(load_u32(at));
}

// True if `count` items of `item_bytes` each, starting at `offset`, fit in `size` bytes.
[[nodiscard]] constexpr bool fits(std::uint64_t offset, std::uint64_t count,
                                  std::uint64_t item_bytes, std::uint64_t size) noexcept {
  return offset <= size && (item_bytes == 0 || count <= (size - offset) / item_bytes);
}

}  // namespace overture::base_detail
