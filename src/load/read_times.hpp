// SPDX-License-Identifier: Zlib
//
// How long reads take: a histogram that many threads fill, in bins of an eighth of a power of two.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "overture/base/atomic.hpp"

namespace overture::load_detail {

class read_times {
 public:
  // A bin is at most an eighth wide of what it holds; below 16 ns it holds one number.
  [[nodiscard]] static constexpr std::size_t bin_of(std::uint64_t ns) noexcept {
    const auto octave = static_cast<unsigned>(std::bit_width(ns | 15)) - 4;
    return static_cast<std::size_t>(octave) * 8 + static_cast<std::size_t>(ns >> octave);
  }
  // The middle of a bin.
  [[nodiscard]] static constexpr std::uint64_t time_of(std::size_t bin) noexcept {
    if (bin < 16) return bin;
    const std::size_t octave = bin / 8 - 1;
    const std::uint64_t begin = std::uint64_t{bin - octave * 8} << octave;
    return begin + (std::uint64_t{1} << octave) / 2;
  }

  void add(std::uint64_t ns) noexcept { bins_[bin_of(ns)].fetch_add(1, std::memory_order_relaxed); }
  // The time that `percent` of the reads did not exceed, to an eighth; 0 without reads.
  [[nodiscard]] std::uint64_t percentile(unsigned percent) const noexcept {
    std::uint64_t all = 0;
    for (const atomic<std::uint32_t>& bin : bins_) all += bin.load(std::memory_order_relaxed);
    std::uint64_t left = (all * percent + 99) / 100;
    for (std::size_t i = 0; left != 0 && i < bin_count; ++i) {
      const std::uint64_t here = bins_[i].load(std::memory_order_relaxed);
      if (here >= left) return time_of(i);
      left -= here;
    }
    return 0;
  }

 private:
  static constexpr std::size_t bin_count = std::size_t{8} * 63;
  atomic<std::uint32_t> bins_[bin_count]{};
};
static_assert(read_times::bin_of(UINT64_MAX) < std::size_t{8} * 63);

}  // namespace overture::load_detail
