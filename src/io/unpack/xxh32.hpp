// SPDX-License-Identifier: Zlib
//
// XXH32, the checksum of LZ4 frames, written from xxHash's doc/xxhash_spec.md. Its tests are the
// frames that liblz4 makes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/little_endian.hpp"

namespace overture::io_detail {

[[nodiscard]] inline std::uint32_t xxh32(std::span<const std::byte> bytes) noexcept {
  constexpr std::uint32_t prime_1 = 0x9E3779B1u;
  constexpr std::uint32_t prime_2 = 0x85EBCA77u;
  constexpr std::uint32_t prime_3 = 0xC2B2AE3Du;
  constexpr std::uint32_t prime_4 = 0x27D4EB2Fu;
  constexpr std::uint32_t prime_5 = 0x165667B1u;
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint32_t sum = prime_5;
  if (left >= 16) {
    std::uint32_t lanes[4] = {prime_1 + prime_2, prime_2, 0, 0u - prime_1};
    for (; left >= 16; left -= 16) {
      for (std::uint32_t& lane : lanes) {
        lane = std::rotl(lane + base_detail::load_u32(at) * prime_2, 13) * prime_1;
        at += 4;
      }
    }
    sum = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) +
          std::rotl(lanes[3], 18);
  }
  sum += static_cast<std::uint32_t>(bytes.size());
  for (; left >= 4; left -= 4, at += 4)
    sum = std::rotl(sum + base_detail::load_u32(at) * prime_3, 17) * prime_4;
  for (; left > 0; --left, ++at) {
    sum = std::rotl(sum + std::to_integer<std::uint32_t>(*at) * prime_5, 11) * prime_1;
  }
  sum = (sum ^ sum >> 15) * prime_2;
  sum = (sum ^ sum >> 13) * prime_3;
  return sum ^ sum >> 16;
}

}  // namespace overture::io_detail
