// SPDX-License-Identifier: Zlib
//
// Decompression bombs: entries and solid blocks that unpack to a size out of all proportion to the
// archive, so that a small file takes the memory or the time of whoever reads it. Refused unless
// the mount allows them.
//
// zisofs and ROFS need no check: what they pack is DEFLATE of less than 4 GiB.
#pragma once

#include <cstdint>

#include "overture/base/limits.hpp"

namespace overture::archives_detail {

static_assert(limits::deflate_ratio_max < limits::unpacked_ratio_max &&
              limits::entry_bytes_max < limits::unpacked_large_bytes);

// Whether that is what claims to unpack to `bytes` from so many.
[[nodiscard]] constexpr bool is_bomb(std::uint64_t bytes, std::uint64_t packed_bytes) noexcept {
  // Without the product, which could overflow.
  const auto is_above = [&](std::uint64_t always, std::uint64_t ratio_max) {
    return bytes > always && packed_bytes <= (bytes - 1) / ratio_max;
  };
  return is_above(limits::unpacked_bytes_always, limits::unpacked_ratio_max) ||
         is_above(limits::unpacked_large_bytes, limits::unpacked_large_ratio_max);
}

}  // namespace overture::archives_detail
