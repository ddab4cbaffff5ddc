// SPDX-License-Identifier: Zlib
//
// Whether two sets of measurements differ by more than chance and more than a tolerance.
//
// The ratio of the medians has an interval by the bootstrap (Efron 1979): the sets are drawn again
// with replacement many times, and the interval holds the middle 99 % of the ratios that come out.
// Where the two were measured in turns, pairs are drawn, so that a machine that slows down over
// the minutes slows both. Below repeats_min measurements the bootstrap is too sure of itself; there
// the sets differ if they do not overlap. Fewer than judged_min tell nothing.
#pragma once

#include <cstddef>
#include <span>

namespace overture::cli {

inline constexpr unsigned tolerance_percent_usual = 5;
inline constexpr std::size_t judged_min = 3;
inline constexpr std::size_t repeats_min = 8;
inline constexpr std::size_t repeats_wanted_max = 1000;

enum class change : unsigned char {
  unclear,  // the interval has room for a difference above the tolerance
  same,     // any difference is below the tolerance
  more,
  less,
};

struct judgement {
  double was = 0;  // medians
  double now = 0;
  double ratio = 1;  // of the medians, or the median of the pairs' ratios; 0 if `was` is 0
  double least = 1;  // the interval
  double most = 1;
  change verdict = change::unclear;
  // What it looks like where too few measurements tell nothing: more or less, if they are far
  // apart.
  change likely = change::unclear;
  // How many measurements of each would likely tell; 0 if these do. At most repeats_wanted_max.
  std::size_t repeats_wanted = 0;
};

enum class pairing : unsigned char { apart, in_turns };  // in turns: equally many, was[i] by now[i]

// `tolerance` is a fraction: 0.05. The same arguments always give the same judgement.
[[nodiscard]] judgement judge(std::span<const double> was, std::span<const double> now, pairing how,
                              double tolerance);

// Of an even number the mean of the two in the middle; 0 of none.
[[nodiscard]] double median_of_values(std::span<const double> values);

}  // namespace overture::cli
