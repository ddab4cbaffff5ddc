// SPDX-License-Identifier: Zlib
//
// Replaces src/vfs/mounts/sizes.hpp: few enough for the explorer.
#pragma once

#include <cstddef>
#include <cstdint>

namespace overture::vfs_detail {

inline constexpr std::size_t pin_stripes_max = 4;
inline constexpr std::uint32_t pin_numbers_max = 64;

inline constexpr std::uint32_t source_chunk_slots = 2;
inline constexpr std::uint32_t source_chunks_max = 4;

}  // namespace overture::vfs_detail
