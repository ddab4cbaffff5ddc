// SPDX-License-Identifier: Zlib
//
// Sizes of the queue's parts. The interleaving explorer, which keeps few atomics, replaces them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/limits.hpp"

namespace overture::io_detail {

inline constexpr std::uint32_t cache_chunk_files = 1024;
inline constexpr std::size_t cache_chunks_max = limits::sources_max / cache_chunk_files;

}  // namespace overture::io_detail
