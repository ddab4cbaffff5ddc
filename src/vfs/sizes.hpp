// How many threads and mounts reader_pins distinguishes. A separate header, because the
// interleaving explorer substitutes smaller numbers: it tracks each atomic.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/limits.hpp"

namespace overture::vfs_detail {

// The last one is for the threads that share a slot.
inline constexpr std::size_t pin_stripes_max = limits::thread_slots_max;
// Mounts, and as many unmounted ones that still have open files.
inline constexpr std::uint32_t pin_numbers_max = 2 * limits::mounts_max;

}  // namespace overture::vfs_detail
