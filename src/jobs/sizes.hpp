// What a pool takes at once. The explorer, whose memory is small, has a header of its own in this
// place.
#pragma once

#include <cstdint>

#include "overture/limits.hpp"

namespace overture::sizes {

inline constexpr std::uint32_t chunk_records = 512;  // job records
inline constexpr std::uint32_t chunks_max = limits::jobs_queued_max / chunk_records;
inline constexpr std::uint64_t deque_slots = 256;  // at first; a power of two

}  // namespace overture::sizes
