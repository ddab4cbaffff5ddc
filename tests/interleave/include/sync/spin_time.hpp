// The explorer's time stands still: a thread that spins by the clock gives up at once.
#pragma once

#include <cstdint>

namespace overture::sync_detail {

class spin_time {
 public:
  explicit spin_time(std::uint32_t) noexcept {}
  [[nodiscard]] static bool over() noexcept { return true; }
};

}  // namespace overture::sync_detail
