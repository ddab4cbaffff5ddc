// SPDX-License-Identifier: Zlib
//
// Which request is read next: the rule, goes_before(), a pure function. request_store finds the
// first request with indexes; waiting_requests::choose() makes the choice.
//
// In this order: deadlines in danger, the earliest first; the higher level (the priority, and one
// more for each time that a request has waited long); the file that was read last, onwards from
// where that read ended and then from its beginning; the other files by their position on the disk,
// onwards and then from the beginning; the order of arrival.
//
// Sources of the method: one direction over the disk (C-SCAN) as described by Denning (1967) and in
// every text on operating systems; deadlines before layout as in Linux' deadline scheduler.
#pragma once

#include <compare>
#include <cstdint>

#include "overture/base/source_id.hpp"

namespace overture::io_detail {

// Where bytes are on the disk, as far as is known: the caller's key, the file, the offset.
struct disk_position {
  std::uint64_t file = 0;
  std::uint64_t offset = 0;

  friend constexpr auto operator<=>(const disk_position&, const disk_position&) = default;
};

constexpr disk_position position_of(std::uint32_t sort_key, source_id source,
                                    std::uint64_t offset) noexcept {
  return {std::uint64_t{sort_key} << 32 | source.index, offset};
}

// What the choice looks at of a request.
struct candidate {
  disk_position position;
  std::uint64_t deadline_ns = no_deadline;
  std::uint64_t ticket = 0;  // lower ones came earlier
  std::uint32_t slot = 0;
  std::uint8_t level = 0;

  static constexpr std::uint64_t no_deadline = UINT64_MAX;
};

// What it knows of the moment.
struct moment {
  disk_position head;           // after the last byte of the last read that began
  std::uint64_t danger_ns = 0;  // deadlines up to this time are in danger
};

// Whether `a` is to be read before `b`. A strict weak order.
[[nodiscard]] bool goes_before(const candidate& a, const candidate& b, const moment& now) noexcept;

}  // namespace overture::io_detail
