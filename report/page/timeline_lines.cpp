// SPDX-License-Identifier: Zlib
#include "report/page/timeline_lines.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "overture/load/load_scope.hpp"

namespace overture::report_detail {

namespace {

// What is on a thread and what is on none have tracks of their own, told apart by the process.
constexpr std::uint64_t of_threads = 1;
constexpr std::uint64_t of_requests = 2;

class line_reader {
 public:
  line_reader(const timeline& record, function_ref<subject_text(std::uint32_t)> describe,
              function_ref<void(const trace_line&)> visit)
      : record_(record), describe_(describe), visit_(visit) {}

  result<void> read() {
    for (std::size_t i = 0; i < record_.track_count(); ++i) name_thread(i);
    for (std::size_t i = 0; i < record_.track_count(); ++i) read_thread(i);
    return read_wakes();
  }

 private:
  void name_thread(std::size_t number) {
    const timeline_track& track = record_.track(number);
    trace_line line{.phase = 'M', .name = "thread_name", .process = of_threads, .thread = number};
    line.given_name = track.name();
    line.cpu_ns = track.cpu_ns();
    line.events_lost = track.events_lost();
    visit_(line);
  }

  void read_thread(std::size_t number) {
    std::optional<trace_line> request;  // whose details may follow
    (void)record_.track(number).for_each_event([&](const trace_event& event) {
      if (event.kind == event_kind::service || event.kind == event_kind::part) {
        if (request) add_detail(*request, event);
        return;
      }
      if (request) visit_(*std::exchange(request, std::nullopt));
      if (event.kind == event_kind::wake) return;
      trace_line line = line_of(event, number);
      if (event.kind == event_kind::request) {
        track_of_request_[&event] = number;
        request = std::move(line);
      } else {
        visit_(line);
      }
    });
    if (request) visit_(*request);
  }

  void add_detail(trace_line& request, const trace_event& detail) const {
    if (detail.kind == event_kind::service) return add_service(request, detail);
    const std::uint64_t ns = detail.end_ns - std::min(detail.begin_ns, detail.end_ns);
    request.is_block = true;
    if (std::string_view(detail.name) == to_string(load_stage::unpack)) {
      request.packed_bytes = detail.value;
      request.unpack_ns = ns;
    } else {
      request.block_wait_ns = ns;
    }
  }
  void add_service(trace_line& request, const trace_event& service) const {
    const std::uint64_t served = time_of(service.begin_ns);
    request.queue_ns = served - std::min(served, *request.begin_ns);
    request.is_cached |= (service.flags & request_flags::cached) != 0;
  }
  [[nodiscard]] std::uint64_t time_of(std::uint64_t ns) const {
    return ns - std::min(ns, record_.start_ns());
  }

  trace_line line_of(const trace_event& event, std::size_t number) {
    trace_line line{.phase = 'X', .name = event.name, .process = of_threads, .thread = number};
    line.begin_ns = time_of(event.begin_ns);
    line.duration_ns = time_of(event.end_ns) - std::min(*line.begin_ns, time_of(event.end_ns));
    if (event.subject != no_subject) {
      subject_text text = describe_(event.subject);
      line.subject = std::move(text.name);
      line.layer = std::move(text.layer);
      line.has_subject = true;
    }
    line.is_cached = (event.flags & request_flags::cached) != 0;
    line.is_sync = (event.flags & request_flags::sync) != 0;
    line.is_block = (event.flags & request_flags::block) != 0;
    switch (event.kind) {
      case event_kind::zone:
        line.category = "zone";
        line.bytes = event.value;
        break;
      case event_kind::wait:
        line.category = "wait";
        break;
      case event_kind::request:
        line.category = "request";
        line.process = of_requests;
        line.bytes = event.value;
        break;
      case event_kind::room:
      case event_kind::delay:
        line.category = event.kind == event_kind::room ? "room" : "delay";
        line.process = of_requests;
        if (event.value != 0) {
          line.ended_by = describe_(static_cast<std::uint32_t>(event.value - 1)).name;
        }
        break;
      case event_kind::counter:
        line.phase = 'C';
        line.value = event.value;
        break;
      case event_kind::instant:
        line.phase = 'i';
        line.value = event.value;
        break;
      case event_kind::service:
      case event_kind::part:
      case event_kind::wake:
        break;
    }
    return line;
  }

  // As in a file: what ends at a time is over at that time.
  [[nodiscard]] std::uint64_t inside(std::uint64_t end_ns) const {
    const std::uint64_t time = time_of(end_ns);
    return time - std::min<std::uint64_t>(time, 1);
  }

  // One begins where the thread woke another, or where the read ended.
  result<void> read_wakes() {
    std::uint64_t id = 0;
    return for_each_wake(record_, [&](const wake_flow& flow) {
      trace_line from{
          .phase = 's', .name = "wake", .process = of_threads, .thread = flow.from_track};
      from.id = ++id;
      from.begin_ns = inside(flow.from_ns);
      if (flow.request) {
        from.process = of_requests;
        from.thread = track_of_request_.at(flow.request);
        from.begin_ns = inside(flow.request->end_ns);
      }
      visit_(from);
      trace_line to{.phase = 'f', .name = "wake", .process = of_threads, .thread = flow.to_track};
      to.id = id;
      to.begin_ns = inside(flow.to_ns);
      visit_(to);
    });
  }

  const timeline& record_;
  function_ref<subject_text(std::uint32_t)> describe_;
  function_ref<void(const trace_line&)> visit_;
  std::unordered_map<const trace_event*, std::size_t> track_of_request_;
};

}  // namespace

result<void> each_trace_line(const timeline& record,
                             function_ref<subject_text(std::uint32_t)> describe,
                             function_ref<void(const trace_line&)> visit) {
  return line_reader(record, describe, visit).read();
}

}  // namespace overture::report_detail
