// SPDX-License-Identifier: Zlib
#include "report/page/thread_time.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace overture::report_detail {

namespace {

struct part_sum {
  std::uint64_t ns = 0;
  std::uint64_t times = 0;
  std::map<std::string, std::uint64_t> by;  // who ended it, and how much of it
};

class lane_time {
 public:
  lane_time(const timeline_picture& picture, std::uint32_t lane)
      : picture_(picture),
        lane_(lane),
        sums_(picture.names.size() + 1),
        seen_(picture.lanes[lane].spans.size()) {}

  thread_time sum() {
    const picture_lane& lane = picture_.lanes[lane_];
    each_innermost(lane, std::max(picture_.load_begin_ns, lane.begin_ns),
                   std::min(picture_.total_ns, lane.end_ns),
                   [&](std::uint64_t begin, std::uint64_t end, const auto& open) {
                     add(begin, end, open.empty() ? nullptr : open.back());
                   });
    thread_time made{lane.name, {}};
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const part_sum& each = sums_[i];
      if (each.times == 0) continue;
      const picture_name name =
          i == unknown() ? picture_name{unknown_time, false} : picture_.names[i];
      made.parts.push_back(
          {name.name, name.is_wait, each.ns, each.times, most_of(each.by, each.ns)});
    }
    std::sort(made.parts.begin(), made.parts.end(), [](const time_part& a, const time_part& b) {
      return std::tie(b.ns, a.name, a.is_wait) < std::tie(a.ns, b.name, b.is_wait);
    });
    return made;
  }

 private:
  void add(std::uint64_t begin, std::uint64_t end, const picture_span* span) {
    part_sum& into = sums_[span ? span->name : unknown()];
    into.ns += end - begin;
    // What lies inside a span divides it.
    if (!span) {
      ++into.times;
    } else if (const auto number =
                   static_cast<std::size_t>(span - picture_.lanes[lane_].spans.data());
               !seen_[number]) {
      seen_[number] = true;
      ++into.times;
    }
    if (span && picture_.names[span->name].is_wait) {
      if (const picture_wake* const wake = wake_of(*span)) into.by[waker(*wake)] += end - begin;
    }
  }

  [[nodiscard]] std::size_t unknown() const { return sums_.size() - 1; }

  // A wait in parts ends with the last of them.
  [[nodiscard]] const picture_wake* wake_of(const picture_span& wait) const {
    const auto found =
        std::partition_point(picture_.wakes.begin(), picture_.wakes.end(), [&](const auto& each) {
          return std::tie(each.to_lane, each.to_ns) < std::tie(lane_, wait.end_ns);
        });
    if (found == picture_.wakes.end() || found->to_lane != lane_) return nullptr;
    return found->to_ns == wait.end_ns || found->from_ns < wait.end_ns ? &*found : nullptr;
  }
  [[nodiscard]] std::string waker(const picture_wake& wake) const {
    return wake.from_lane == picture_wake::by_read ? "a read" : picture_.lanes[wake.from_lane].name;
  }
  static std::string most_of(const std::map<std::string, std::uint64_t>& by, std::uint64_t all) {
    for (const auto& [name, ns] : by) {
      if (ns > all / 2) return name;
    }
    return {};
  }

  const timeline_picture& picture_;
  const std::uint32_t lane_;
  std::vector<part_sum> sums_;  // by the numbers of the names, and last what is unknown
  std::vector<bool> seen_;
};

}  // namespace

std::vector<thread_time> time_of_threads(const timeline_picture& picture) {
  std::vector<thread_time> threads;
  threads.reserve(picture.lanes.size());
  for (std::uint32_t i = 0; i < picture.lanes.size(); ++i) {
    threads.push_back(lane_time(picture, i).sum());
  }
  return threads;
}

}  // namespace overture::report_detail
