// How much is kept together. The interleaving explorer, which keeps few atomics, has others.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/limits.hpp"

namespace overture::io_detail {

inline constexpr std::uint32_t cache_chunk_files = 1024;
inline constexpr std::size_t cache_chunks_max = limits::sources_max / cache_chunk_files;

}  // namespace overture::io_detail
