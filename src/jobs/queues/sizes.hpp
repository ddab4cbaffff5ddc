// SPDX-License-Identifier: Zlib
//
// Sizes of queues and batches. The explorer, whose memory is small, has a header of its own in
// place of this one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/limits.hpp"

namespace overture::jobs_detail::sizes {

inline constexpr std::uint32_t chunk_records = 512;  // job records in one allocation
inline constexpr std::uint32_t chunks_max = limits::jobs_queued_max / chunk_records;
inline constexpr std::uint64_t deque_slots = 256;  // at first; a power of two
// The number of jobs a thread takes at once: few enough that others find some too.
inline constexpr std::size_t taken_at_once = 32;
// A worker removes the hints of jobs that it has run in batches of this many: each removal costs a
// third of a short job.
inline constexpr std::uint64_t hints_removed_at_once = 8;
// A waiter looks at this many jobs of each other slot before it looks at all of them.
inline constexpr std::uint64_t glance = 256;
// Host threads without a slot that can each be woken alone while they wait.
inline constexpr unsigned host_seats = limits::pool_helpers_max;

}  // namespace overture::jobs_detail::sizes
