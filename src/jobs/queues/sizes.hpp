// What a pool takes at once. The explorer, whose memory is small, has a header of its own in this
// place.
#pragma once

#include <cstdint>

#include "overture/limits.hpp"

namespace overture::jobs_detail::sizes {

inline constexpr std::uint32_t chunk_records = 512;  // job records
inline constexpr std::uint32_t chunks_max = limits::jobs_queued_max / chunk_records;
inline constexpr std::uint64_t deque_slots = 256;  // at first; a power of two
// Hints that a worker throws away at once, of jobs that it has run: each time costs as much as a
// third of what a short job does.
inline constexpr std::uint64_t hints_thrown_away = 8;
// Of another thread's queue, by who waits for a group, before the look that precedes the sleep:
// where others' jobs wait by the thousand, looking through all of them takes longer than what is
// left of the group does to end.
inline constexpr std::uint64_t glance = 256;  // jobs

}  // namespace overture::jobs_detail::sizes
