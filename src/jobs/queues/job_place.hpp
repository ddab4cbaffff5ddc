// SPDX-License-Identifier: Zlib
//
// Where the pending jobs of a group begin, so that a thread that waits for it need not look through
// what others have queued before. A group keeps it in one word.
//
// It says of one queue only that no job of the group lies before that position there. Threads that
// submit the first jobs of a group at the same time may leave that of an earlier use. So a thread
// looks there first, but looks everywhere before it sleeps.
#pragma once

#include <cstdint>

#include "overture/base/limits.hpp"

namespace overture::jobs_detail {

struct job_place {
  static constexpr unsigned position_bits = 52;
  static constexpr std::uint32_t none = 0;  // as a queue

  static constexpr job_place from_word(std::uint64_t word) noexcept {
    return {static_cast<std::uint32_t>(word >> position_bits),
            word & ((std::uint64_t{1} << position_bits) - 1)};
  }
  [[nodiscard]] constexpr std::uint64_t word() const noexcept {
    return std::uint64_t{queue} << position_bits | position;
  }

  std::uint32_t queue = none;  // a number that job_queues gives it
  std::uint64_t position = 0;
};

}  // namespace overture::jobs_detail
