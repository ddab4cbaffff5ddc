// SPDX-License-Identifier: Zlib
#include "report/page/picture.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "report/page/picture_builder.hpp"

namespace overture::report_detail {

namespace {

class painter {
 public:
  explicit painter(std::uint64_t start_ns) : start_ns_(start_ns) {}

  void add(const timeline_track& track) {
    picture_lane lane;
    lane.name = track.name();
    lane.events_lost = track.events_lost();
    picture_read* request = nullptr;  // that details may follow
    (void)track.for_each_event([&](const trace_event& event) {
      if (event.kind == event_kind::service || event.kind == event_kind::part) {
        if (request) add_detail(*request, event);
        return;
      }
      request = nullptr;
      switch (event.kind) {
        case event_kind::zone:
        case event_kind::wait:
          lane.spans.push_back(span_of(event));
          if ((event.flags & request_flags::sync) != 0) add_read(event);
          break;
        case event_kind::request:
          read_of_[&event] = builder_.reads();
          request = &add_read(event);
          break;
        case event_kind::counter:
          builder_.add_value(event.name, {time_of(event.begin_ns), event.value});
          break;
        case event_kind::room:
        case event_kind::delay:
          builder_.add_delay(delay_of(event));
          break;
        case event_kind::instant:
        case event_kind::service:
        case event_kind::part:
        case event_kind::wake:
          break;
      }
    });
    builder_.add_lane(std::move(lane), tracks_++);
  }

  void add_wakes(const timeline& record) {
    (void)for_each_wake(record, [&](const wake_flow& flow) {
      picture_builder::wake made{.to_track = static_cast<std::uint32_t>(flow.to_track),
                                 .to_ns = time_of(flow.to_ns),
                                 .from_track = static_cast<std::uint32_t>(flow.from_track),
                                 .from_ns = time_of(flow.from_ns)};
      if (flow.request) {
        made.from_track = picture_wake::by_read;
        made.from_read = read_of_.at(flow.request);
        made.from_ns = time_of(flow.request->end_ns);
      }
      builder_.add_wake(made);
    });
  }

  timeline_picture finish(const load_window& window) {
    return builder_.finish(time_of(window.end_ns), time_of(window.begin_ns));
  }

 private:
  [[nodiscard]] std::uint64_t time_of(std::uint64_t ns) const {
    return ns > start_ns_ ? ns - start_ns_ : 0;
  }

  picture_span span_of(const trace_event& event) {
    return {time_of(event.begin_ns), time_of(std::max(event.begin_ns, event.end_ns)),
            builder_.number_of(event.name, event.kind == event_kind::wait), event.subject};
  }

  picture_delay delay_of(const trace_event& event) {
    const std::uint32_t ended_by =
        event.value == 0 ? no_subject : static_cast<std::uint32_t>(event.value - 1);
    const std::uint32_t name = event.kind == event_kind::room
                                   ? picture_delay::for_room
                                   : builder_.number_of(event.name, true);
    return {time_of(event.begin_ns), time_of(std::max(event.begin_ns, event.end_ns)), event.subject,
            ended_by, name};
  }

  void add_detail(picture_read& read, const trace_event& detail) const {
    if (detail.kind == event_kind::service) {
      read.served_ns = std::clamp(time_of(detail.begin_ns), read.begin_ns, read.end_ns);
      read.is_cached = (detail.flags & request_flags::cached) != 0;
      return;
    }
    const std::uint64_t ns = detail.end_ns - std::min(detail.begin_ns, detail.end_ns);
    if (std::string_view(detail.name) == to_string(load_stage::unpack)) {
      read.bytes = detail.value;
      read.unpack_ns = ns;
    } else {
      read.block_wait_ns = ns;
    }
  }

  picture_read& add_read(const trace_event& event) {
    const std::uint64_t begin = time_of(event.begin_ns);
    return builder_.add_read({begin, begin, time_of(std::max(event.begin_ns, event.end_ns)),
                              event.subject, event.value,
                              (event.flags & request_flags::cached) != 0});
  }

  std::uint64_t start_ns_;
  picture_builder builder_;
  std::uint32_t tracks_ = 0;
  std::unordered_map<const trace_event*, std::uint32_t> read_of_;
};

}  // namespace

std::uint64_t timeline_picture::events_lost() const {
  std::uint64_t sum = events_lost_in_reads;
  for (const picture_lane& lane : lanes) sum += lane.events_lost;
  return sum;
}

timeline_picture picture_of(const timeline& record, const load_window& window,
                            std::uint64_t start_ns) {
  painter paint(start_ns);
  for (std::size_t i = 0; i < record.track_count(); ++i) paint.add(record.track(i));
  paint.add_wakes(record);
  return paint.finish(window);
}

}  // namespace overture::report_detail
