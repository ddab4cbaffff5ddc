// SPDX-License-Identifier: Zlib
#include "page/picture.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace overture::cli {

namespace {

// How long a parked worker took to wake: for those who tune the job system.
constexpr std::string_view hidden_counter = "wake_ns";

lane_kind kind_of(std::string_view thread) {
  if (thread == main_name) return lane_kind::main;
  return thread.starts_with(worker_name) ? lane_kind::worker : lane_kind::background;
}

class painter {
 public:
  painter(const load_window& window, std::uint64_t start_ns) : start_ns_(start_ns) {
    made_.total_ns = since_start(window.end_ns, UINT64_MAX);
    made_.load_begin_ns = since_start(window.begin_ns, made_.total_ns);
  }

  void add(const timeline_track& track) {
    picture_lane lane;
    lane.name = track.name();
    lane.kind = kind_of(lane.name);
    lane.events_lost = track.events_lost();
    picture_read* request = nullptr;  // the event before, if it was one
    (void)track.for_each_event([&](const trace_event& event) {
      picture_read* const last = std::exchange(request, nullptr);
      switch (event.kind) {
        case event_kind::zone:
        case event_kind::wait:
          lane.spans.push_back(span_of(event));
          if ((event.flags & request_flags::sync) != 0) add_read(event);
          break;
        case event_kind::request:
          request = &add_read(event);
          break;
        case event_kind::service:
          if (!last) break;
          last->served_ns = std::clamp(time_of(event.begin_ns), last->begin_ns, last->end_ns);
          last->is_cached = (event.flags & request_flags::cached) != 0;
          break;
        case event_kind::counter:
          add_value(event);
          break;
        case event_kind::instant:
          break;
      }
    });
    nest(lane.spans);
    // What only reads is seen in its reads.
    if (!std::string_view(lane.name).starts_with(io_name)) made_.lanes.push_back(std::move(lane));
  }

  timeline_picture finish() {
    std::sort(made_.lanes.begin(), made_.lanes.end(), [](const auto& a, const auto& b) {
      const auto key = [](const picture_lane& lane) {
        return std::tuple(lane.kind, lane.name.size(), std::string_view(lane.name));
      };
      return key(a) < key(b);
    });
    std::sort(made_.reads.begin(), made_.reads.end(), [](const auto& a, const auto& b) {
      return std::tie(a.begin_ns, a.served_ns, a.end_ns) <
             std::tie(b.begin_ns, b.served_ns, b.end_ns);
    });
    for (picture_counter& counter : made_.counters) {
      std::sort(counter.values.begin(), counter.values.end(),
                [](const auto& a, const auto& b) { return a.at_ns < b.at_ns; });
    }
    return std::move(made_);
  }

 private:
  [[nodiscard]] std::uint64_t since_start(std::uint64_t ns, std::uint64_t most) const {
    return std::min(ns > start_ns_ ? ns - start_ns_ : 0, most);
  }
  [[nodiscard]] std::uint64_t time_of(std::uint64_t ns) const {
    return since_start(ns, made_.total_ns);
  }

  picture_span span_of(const trace_event& event) {
    return {time_of(event.begin_ns), time_of(std::max(event.begin_ns, event.end_ns)),
            number_of(event.name, event.kind == event_kind::wait), event.subject};
  }

  picture_read& add_read(const trace_event& event) {
    const std::uint64_t begin = time_of(event.begin_ns);
    made_.reads.push_back({begin, begin, time_of(std::max(event.begin_ns, event.end_ns)),
                           event.subject, event.value, (event.flags & request_flags::cached) != 0});
    return made_.reads.back();
  }

  void add_value(const trace_event& event) {
    if (event.name == hidden_counter) return;
    auto found = std::find_if(made_.counters.begin(), made_.counters.end(),
                              [&](const picture_counter& each) { return each.name == event.name; });
    if (found == made_.counters.end()) {
      made_.counters.push_back({event.name, {}});
      found = made_.counters.end() - 1;
    }
    found->values.push_back({time_of(event.begin_ns), event.value});
  }

  std::uint32_t number_of(const char* name, bool is_wait) {
    const auto [at, is_new] = numbers_.try_emplace(std::pair(std::string_view(name), is_wait),
                                                   static_cast<std::uint32_t>(numbers_.size()));
    if (is_new) made_.names.push_back({name, is_wait});
    return at->second;
  }

  // Orders spans by begin, and cuts what outlasts the span that it began in.
  static void nest(std::vector<picture_span>& spans) {
    std::vector<std::pair<picture_span, std::size_t>> ordered;
    ordered.reserve(spans.size());
    for (const picture_span& each : spans) ordered.emplace_back(each, ordered.size());
    // Recorded later means that it ended later: of two that begin at once it is the outer one.
    std::sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
      if (a.first.begin_ns != b.first.begin_ns) return a.first.begin_ns < b.first.begin_ns;
      return a.first.end_ns != b.first.end_ns ? a.first.end_ns > b.first.end_ns
                                              : a.second > b.second;
    });
    for (std::size_t i = 0; i < spans.size(); ++i) spans[i] = ordered[i].first;
    std::vector<std::uint64_t> open;
    for (picture_span& span : spans) {
      while (!open.empty() && open.back() <= span.begin_ns) open.pop_back();
      if (!open.empty()) span.end_ns = std::min(span.end_ns, open.back());
      open.push_back(span.end_ns);
    }
  }

  std::uint64_t start_ns_;
  timeline_picture made_;
  std::map<std::pair<std::string_view, bool>, std::uint32_t> numbers_;
};

}  // namespace

std::uint64_t timeline_picture::events_lost() const {
  std::uint64_t sum = 0;
  for (const picture_lane& lane : lanes) sum += lane.events_lost;
  return sum;
}

timeline_picture picture_of(const timeline& record, const load_window& window,
                            std::uint64_t start_ns) {
  painter paint(window, start_ns);
  for (std::size_t i = 0; i < record.track_count(); ++i) paint.add(record.track(i));
  return paint.finish();
}

}  // namespace overture::cli
