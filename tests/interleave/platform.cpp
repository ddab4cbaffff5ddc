// What the library asks of the platform, answered by the explorer.
#include "interleave/steps.hpp"
#include "overture/thread.hpp"

namespace overture {

void yield_thread() noexcept {
  interleave::yield();
}

// Time passes when the explorer lets a sleeper's run out.
std::uint64_t now_ns() noexcept {
  return 1;
}

}  // namespace overture
