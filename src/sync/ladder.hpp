// What a thread does before it sleeps: look a few times, then let others run a few times.
//
// The numbers are measured on two cores: as fast as pure spinning while the other side runs, never
// slower than sleeping at once when there are more threads than cores. There are no timed sleeps
// in it, which would only add to the time until the thread notices.
#pragma once

#include "base/spin_pause.hpp"
#include "overture/atomic.hpp"
#include "overture/thread.hpp"

namespace overture {

inline constexpr int ladder_pauses = 12;
inline constexpr int ladder_yields = 16;

// True as soon as ready() is, false if it still is not at the end.
template <class Ready>
[[nodiscard]] bool climb_ladder(Ready ready) noexcept {
  for (int i = 0; i < ladder_pauses; ++i) {
    if (ready()) return true;
    spin_pause();
  }
  for (int i = 0; i < ladder_yields; ++i) {
    if (ready()) return true;
    yield_thread();
  }
  return ready();
}

}  // namespace overture
