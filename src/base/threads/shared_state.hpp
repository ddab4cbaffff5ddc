// SPDX-License-Identifier: Zlib
//
// What all copies of Overture in a process share, so that a game and its plug-ins, each linked with
// a copy of its own, can use the same objects: numbers of threads must not be given twice, and a
// continuation registered by one copy must be found by another.
//
// The state is one symbol, the only one of the library that is not hidden. Its name has the
// version, so copies of different versions have nothing in common. The dynamic linker takes the
// first in the process, if the game exports it (CMake and pkg-config add the linker's option). A
// copy whose library is linked with all symbols hidden keeps its own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/threads/slot_set.hpp"
#include "overture/base/atomic.hpp"
#include "overture/base/detail/compiler.hpp"
#include "overture/base/limits.hpp"
#include "overture/base/version.hpp"

namespace overture {

struct barricade_continuation;

namespace base_detail {

// Continuations of barricades, see sync/continuation_table.hpp.
struct alignas(detail::line_bytes) continuation_list {
  atomic<barricade_continuation*> newest{nullptr};
  atomic<std::uint32_t> scans{0};
};

using thread_slot_set = slot_set<limits::thread_slots_max>;

struct shared_state {
  thread_slot_set thread_slots;
  static constexpr std::size_t continuation_lists_max = 64;
  continuation_list continuations[continuation_lists_max];
};

}  // namespace base_detail

#define OVERTURE_JOIN_VERSION(major, minor, patch) overture_shared_##major##_##minor##_##patch
#define OVERTURE_SHARED_STATE_OF(major, minor, patch) OVERTURE_JOIN_VERSION(major, minor, patch)
#define OVERTURE_SHARED_STATE \
  OVERTURE_SHARED_STATE_OF(OVERTURE_VERSION_MAJOR, OVERTURE_VERSION_MINOR, OVERTURE_VERSION_PATCH)

extern "C" {
#if defined(__ELF__)
[[gnu::visibility("default")]]
#endif
extern base_detail::shared_state OVERTURE_SHARED_STATE;
}

namespace base_detail {

[[nodiscard]] inline shared_state& shared() noexcept {
  return OVERTURE_SHARED_STATE;
}

}  // namespace base_detail

}  // namespace overture
