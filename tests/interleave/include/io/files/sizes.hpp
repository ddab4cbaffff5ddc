// SPDX-License-Identifier: Zlib
//
// Replaces src/io/files/sizes.hpp: few enough for the explorer.
#pragma once

#include <cstddef>
#include <cstdint>

namespace overture::io_detail {

inline constexpr std::uint32_t cache_chunk_files = 4;
inline constexpr std::size_t cache_chunks_max = 2;

}  // namespace overture::io_detail
