// How many threads and mounts reader_pins tells apart. A header of its own, as the interleaving
// explorer puts smaller ones in its place: it looks at each atomic.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/limits.hpp"

namespace overture::vfs {

// The last one is of the threads that share a slot.
inline constexpr std::size_t pin_stripes_max = limits::thread_slots_max;
// Mounted ones, and as many that are not any more but have open files.
inline constexpr std::uint32_t pin_numbers_max = 2 * limits::mounts_max;

}  // namespace overture::vfs
