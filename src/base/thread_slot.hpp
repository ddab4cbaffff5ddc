// A small number for each living thread, for striping counters and finding per-thread scratch.
//
// Slots of ended threads are given out again. Threads beyond limits::thread_slots_max share the
// last slot, so data kept by slot must stay right when two threads use it at once.
#pragma once

#include <cstdint>

namespace overture {

// Any thread; the first call on a thread takes the slot, later ones are a thread-local load.
[[nodiscard]] std::uint32_t thread_slot() noexcept;

}  // namespace overture
