// SPDX-License-Identifier: Zlib
//
// What a page draws of a timeline: all of it, or, where that is too much, sums of what is short.
//
//   const drawn_timeline drawn = drawn_of(picture);
//   if (drawn.resolution_ns != 0) say("shorter ones are drawn as sums");
//
// Spans below the resolution that begin within one stretch of that length, with nothing longer
// between them, become one span for each name: as long as those took by themselves, one after the
// other. So any stretch of time shows what it was spent on, whatever the resolution is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/page/picture.hpp"

namespace overture::report_detail {

// Of millions a browser takes seconds, and a page many megabytes.
struct drawn_limits {
  std::size_t spans = 1'000'000;
  std::size_t reads = 250'000;
  std::size_t delays = 100'000;
  std::size_t counter_values = 50'000;  // of each
};

// `count`: how many it stands for.
struct drawn_span : picture_span {
  std::uint32_t count = 1;
};
struct drawn_read : picture_read {
  std::uint32_t count = 1;  // if more, the times are their means, and the bytes their sum
};

struct drawn_timeline {
  std::uint64_t resolution_ns = 0;             // 0: every span is drawn
  std::uint64_t spans = 0;                     // before they were summed
  std::vector<std::vector<drawn_span>> lanes;  // of the picture's
  std::vector<drawn_read> reads;
  std::vector<picture_counter> counters;
  std::vector<picture_delay> delays;  // the longest
  std::vector<picture_wake> wakes;    // of waits that are drawn one by one
  std::vector<path_step> critical;
};

[[nodiscard]] drawn_timeline drawn_of(const timeline_picture& picture,
                                      const drawn_limits& limits = {});

}  // namespace overture::report_detail
