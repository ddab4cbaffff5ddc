// SPDX-License-Identifier: Zlib
//
// Where each thread's time went: its parts add up to the load.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/page/picture.hpp"

namespace overture::report_detail {

// What no span covers: the timeline does not know what the thread did.
inline constexpr const char* unknown_time = "unknown";

struct time_part {
  std::string name;
  bool is_wait = false;
  std::uint64_t ns = 0;  // without what lies inside: a wait in a stage is no part of the stage
  std::uint64_t times = 0;
  // Of a wait: what ended most of it, "worker 2" or "a read"; empty if that is not recorded.
  std::string ended_by = {};
};

struct thread_time {
  std::string thread;
  std::vector<time_part> parts;  // largest first, unknown time too; they add up to the load
};

// Of the time in which the load ran, for each lane.
[[nodiscard]] std::vector<thread_time> time_of_threads(const timeline_picture& picture);

// The innermost spans of a lane one by one, without overlap, and the gaps between them. `visit`
// gets the begin, the end, and the spans that lie around it, the outermost first: none in a gap.
template <class Visit>
void each_innermost(const picture_lane& lane, std::uint64_t from_ns, std::uint64_t to_ns,
                    Visit visit) {
  std::vector<const picture_span*> open;
  std::uint64_t now = from_ns;
  const auto until = [&](std::uint64_t end) {
    if (end > to_ns) end = to_ns;
    if (end <= now) return;
    visit(now, end, open);
    now = end;
  };
  for (const picture_span& span : lane.spans) {
    while (!open.empty() && open.back()->end_ns <= span.begin_ns) {
      until(open.back()->end_ns);
      open.pop_back();
    }
    until(span.begin_ns);
    open.push_back(&span);
  }
  while (!open.empty()) {
    until(open.back()->end_ns);
    open.pop_back();
  }
  until(to_ns);
}

}  // namespace overture::report_detail
