// SPDX-License-Identifier: Zlib
//
// One block of a ROFS archive: scrambled, optionally packed.
//
// Sources: the tools of Patrice Mandin's reevengi project and PhysicsFS's physfs_archiver_rofs.c,
// for the layout, the constants and the generator of keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "overture/base/error.hpp"

namespace overture::archives_detail {

inline constexpr std::size_t rofs_block_bytes = 32768;  // unpacked; less in a file's last block
// 17 bits copy 17 bytes.
inline constexpr std::uint64_t rofs_ratio_max = 8;

struct rofs_block {
  std::uint64_t offset = 0;  // in the archive
  std::uint32_t packed_bytes = 0;
  std::uint32_t key = 0;
  bool packed = false;
};

// Unscrambles a block, or scrambles it: the operation is its own inverse.
void scramble_rofs(std::uint32_t key, std::span<std::byte> bytes) noexcept;

// Unpacks to fill `to` exactly. Modifies `packed`. Error: corrupt.
[[nodiscard]] result<void> unpack_rofs_block(const rofs_block& block, std::span<std::byte> packed,
                                             std::span<std::byte> to) noexcept;

}  // namespace overture::archives_detail
