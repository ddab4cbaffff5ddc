// Replaces src/sync/spin_time.hpp. The explorer's time stands still, so that a thread which spins
// for a time gives up at once.
#pragma once

#include <cstdint>

namespace overture::sync_detail {

class spin_time {
 public:
  explicit spin_time(std::uint32_t) noexcept {}
  [[nodiscard]] static bool over() noexcept { return true; }
};

}  // namespace overture::sync_detail
