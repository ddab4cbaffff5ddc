// SPDX-License-Identifier: Zlib
//
// Mip levels from the rows of an image as they come, from top to bottom:
//
//   mip_chain chain;
//   chain.begin(layout, memory);
//   chain.add(row, [&](std::uint32_t level, std::uint32_t y, const float* made) { ... });
//
// A row of a level is the mean of two rows of the level above, of three where the height is odd; so
// all that is kept of a level is one row that is being made.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "overture/base/allocator.hpp"
#include "overture/base/error.hpp"
#include "overture/loaders/image_loader.hpp"

namespace overture::loaders {

// What part of a pixel of the smaller side each of up to three pixels of the larger is.
struct mip_taps {
  std::uint32_t count = 0;
  float weight[3] = {};
};
// Of pixel `i` of a side that was `larger` long. They begin at pixel 2 * i.
[[nodiscard]] mip_taps taps_of(std::uint32_t larger, std::uint32_t i) noexcept;

class mip_chain {
 public:
  explicit mip_chain(allocator& memory) noexcept : memory_(memory) {}
  ~mip_chain();
  mip_chain(const mip_chain&) = delete;
  mip_chain& operator=(const mip_chain&) = delete;

  // Errors: out_of_memory.
  [[nodiscard]] result<void> begin(const image_layout& layout) noexcept;
  // The place for the next row of level 0, to be filled before add().
  [[nodiscard]] float* row() noexcept { return rows_; }
  // Calls made(level, y, row) for each row of the other levels that is ready with this one.
  template <class Made>
  void add(Made&& made) noexcept {
    add_row(0, rows_, made);
  }

 private:
  struct step {
    std::uint32_t width = 0;  // of the level above
    std::uint32_t height = 0;
    std::uint32_t above = 0;  // how many rows of the level above have come
    float* halved = nullptr;  // the last of those, with half the width
    float* sum = nullptr;
  };

  template <class Made>
  void add_row(std::uint32_t level, const float* row, Made&& made) noexcept {
    if (level + 1 == levels_) return;
    step& to = steps_[level];
    halve(to, row);
    const std::uint32_t y = to.above++;
    const std::uint32_t rows = std::max(to.height / 2, 1u);
    // Row 2 * i is the last of three for row i - 1, and the first for row i.
    if (to.height % 2 == 1 && y > 0 && y % 2 == 0) {
      finish(level, y / 2 - 1, 2, made);
      if (y / 2 >= rows) return;
    }
    const std::uint32_t i = std::min(y / 2, rows - 1);
    if (y % 2 == 0) {
      weigh(to, taps_of(to.height, i).weight[0], true);
      if (to.height == 1) pass_on(level, i, made);
    } else if (to.height % 2 == 0) {
      finish(level, i, 1, made);
    } else {
      weigh(to, taps_of(to.height, i).weight[1], false);
    }
  }
  template <class Made>
  void finish(std::uint32_t level, std::uint32_t i, std::uint32_t tap, Made&& made) noexcept {
    weigh(steps_[level], taps_of(steps_[level].height, i).weight[tap], false);
    pass_on(level, i, made);
  }
  template <class Made>
  void pass_on(std::uint32_t level, std::uint32_t i, Made&& made) noexcept {
    made(level + 1, i, static_cast<const float*>(steps_[level].sum));
    add_row(level + 1, steps_[level].sum, made);
  }
  static void halve(const step& to, const float* row) noexcept;
  static void weigh(const step& to, float weight, bool first) noexcept;

  allocator& memory_;
  std::uint32_t levels_ = 0;
  step steps_[image_levels_max];
  float* rows_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace overture::loaders
