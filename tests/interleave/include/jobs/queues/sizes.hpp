// SPDX-License-Identifier: Zlib
//
// Replaces src/jobs/queues/sizes.hpp: as small as will do.
#pragma once

#include <cstddef>
#include <cstdint>

namespace overture::jobs_detail::sizes {

inline constexpr std::uint32_t chunk_records = 8;
inline constexpr std::uint32_t chunks_max = 16;
inline constexpr std::uint64_t deque_slots = 4;
inline constexpr std::size_t taken_at_once = 4;
inline constexpr std::uint64_t hints_removed_at_once = 2;
inline constexpr std::uint64_t glance = 1;
inline constexpr unsigned host_seats = 1;

}  // namespace overture::jobs_detail::sizes
