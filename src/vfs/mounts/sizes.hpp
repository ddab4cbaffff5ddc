// SPDX-License-Identifier: Zlib
//
// How many threads and mounts reader_pins distinguishes, and how source_table grows. A separate
// header, because the interleaving explorer substitutes smaller numbers: it tracks each atomic.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/limits.hpp"

namespace overture::vfs_detail {

// The last one is for the threads that share a slot.
inline constexpr std::size_t pin_stripes_max = limits::thread_slots_max;
// Mounts, and as many unmounted ones that still have open files.
inline constexpr std::uint32_t pin_numbers_max = 2 * limits::mounts_max;

inline constexpr std::uint32_t source_chunk_slots = 512;
inline constexpr std::uint32_t source_chunks_max = limits::sources_max / source_chunk_slots;

}  // namespace overture::vfs_detail
