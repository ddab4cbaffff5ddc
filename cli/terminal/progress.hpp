// SPDX-License-Identifier: Zlib
//
// The progress bar, independent of any terminal: what to show, when to paint, how it looks.
//
//   progress_meter meter;
//   if (meter.due(elapsed_ns)) paint(render(meter.update(scope.progress(), elapsed_ns), style));
//
// The values shown never decrease.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "overture/load/load_scope.hpp"
#include "terminal/style.hpp"

namespace overture::cli {

struct progress_view {
  double fraction = 0;  // 0 to 1
  std::uint64_t files_done = 0;
  std::uint64_t files_total = 0;
  std::uint64_t bytes_done = 0;
  double bytes_per_second = 0;
  std::optional<double> seconds_left;  // unknown at first
};

class progress_meter {
 public:
  // Shorter loads are over before anyone could read a bar.
  static constexpr std::uint64_t first_paint_ns = 100'000'000;
  static constexpr std::uint64_t paint_interval_ns = 100'000'000;

  // Whether it is time to paint. If so, call update().
  [[nodiscard]] bool due(std::uint64_t elapsed_ns) const;
  // Takes a sample at `elapsed_ns` since the start of the load.
  progress_view update(const load_progress& progress, std::uint64_t elapsed_ns);

 private:
  progress_view view_;
  std::optional<std::uint64_t> sampled_ns_;
  double fraction_per_second_ = 0;
};

// A line of at most style.width - 1 columns (some terminals wrap after the last), or 79 if the
// width is 0. Narrow lines omit the least important parts.
[[nodiscard]] std::string render(const progress_view& view, const text_style& style);

// A bar of `columns` columns.
[[nodiscard]] std::string bar(double fraction, std::size_t columns, bool unicode);

}  // namespace overture::cli
