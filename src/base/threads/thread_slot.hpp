// SPDX-License-Identifier: Zlib
//
// A small number for each living thread, to index striped counters and per-thread scratch memory.
//
// Slots of finished threads are reused; a new owner sees everything done under the previous one.
// When limits::thread_slots_max are taken, further threads share the last slot, and so do threads
// whose end the system would not tell, and code that runs after a thread has given up its slot
// (late destructors). So data of that slot must tolerate concurrent use; data of any other slot
// belongs to one thread.
#pragma once

#include <cstdint>

#include "overture/base/limits.hpp"

namespace overture::base_detail {

inline constexpr std::uint32_t shared_thread_slot = limits::thread_slots_max - 1;

// The first call on a thread takes a slot; later calls are one thread-local load. Any thread.
[[nodiscard]] std::uint32_t thread_slot() noexcept;

}  // namespace overture::base_detail
