// SPDX-License-Identifier: Zlib
//
// The time of a read queue: the simulated disk's, or else that of now_ns().
#pragma once

#include <cstdint>

#include "overture/io/simulated_disk.hpp"
#include "overture/trace/timeline.hpp"

namespace overture::io_detail {

class queue_clock {
 public:
  explicit queue_clock(const simulated_disk* disk) noexcept : disk_(disk) {}
  [[nodiscard]] std::uint64_t now() const noexcept { return disk_ ? disk_->now_ns() : now_ns(); }

 private:
  const simulated_disk* disk_;
};

}  // namespace overture::io_detail
