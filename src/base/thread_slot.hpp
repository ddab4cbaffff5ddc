// A small number for each living thread, for striping counters and finding per-thread scratch.
//
// Slots of ended threads are given out again. Threads beyond limits::thread_slots_max share the
// last slot, and so does what runs in a thread that has given its own back already (objects of the
// thread that end late). So data of that slot must stay right when two threads use it at once; that
// of another slot is one thread's, and who gets the slot next sees what was done with it.
#pragma once

#include <cstdint>

#include "overture/base/limits.hpp"

namespace overture {

inline constexpr std::uint32_t shared_thread_slot = limits::thread_slots_max - 1;

// Any thread; the first call on a thread takes the slot, later ones are a thread-local load.
[[nodiscard]] std::uint32_t thread_slot() noexcept;

}  // namespace overture
