// SPDX-License-Identifier: Zlib
//
// Replaces src/jobs/queues/sizes.hpp: as small as will do.
#pragma once

#include <cstddef>
#include <cstdint>

namespace overture::jobs_detail::sizes {

inline constexpr std::uint64_t deque_slots = 2;
inline constexpr std::uint64_t hints_removed_at_once = 1;

}  // namespace overture::jobs_detail::sizes
