// SPDX-License-Identifier: Zlib
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "report/page/picture_builder.hpp"
#include "watch/model/symbols.hpp"
#include "watch/model/tables.hpp"
#include "watch/page/watch_page.hpp"

namespace overture::watch {

namespace {

using report_detail::picture_builder;
using report_detail::picture_lane;
using report_detail::report_row;

// Calls with so little between them that no picture could show it are one span.
constexpr std::uint64_t gap_ns_max = 5'000;

// Names in the order of rows.
std::vector<std::uint32_t> names_in_rows(const load_view& view) {
  std::vector<std::uint32_t> names;
  for (const file_use& each : view.files) {
    if (each.opens + each.reads > 0) names.push_back(each.name);
  }
  std::sort(names.begin(), names.end(), [&](std::uint32_t a, std::uint32_t b) {
    return view.process.name(a) < view.process.name(b);
  });
  return names;
}

std::string span_name(const watched_event& event) {
  if (event.kind != event_kind::zone) return words_of(event.kind);
  const zone_row& zone = zone_of(event.id);
  switch (zone.work) {
    case zone_work::images:
    case zone_work::sounds:
    case zone_work::fonts:
      return fmt::format("decode ({})", zone.function);
    case zone_work::unpack:
      return fmt::format("unpack ({})", zone.function);
    case zone_work::textures:
    case zone_work::shaders:
      return fmt::format("finalize ({})", zone.function);
    case zone_work::window:
    case zone_work::device:
    case zone_work::names:
    case zone_work::programs:
    case zone_work::files:
      break;
  }
  return readable_name(zone.function);
}

bool is_drawn(const watched_event& event) {
  return event.kind != event_kind::release && event.kind != event_kind::load_code &&
         event.end_ns > event.begin_ns;
}

class watch_painter {
 public:
  explicit watch_painter(const load_view& view) : view_(view) {
    std::uint32_t row = 0;
    for (const std::uint32_t name : names_in_rows(view)) row_of_[name] = row++;
  }

  report_detail::timeline_picture paint() {
    const std::vector<std::string> names = thread_names(view_.process);
    for (std::uint32_t i = 0; i < view_.process.threads.size(); ++i) add(i, names[i]);
    for (const watched_wake& each : view_.process.wakes) {
      const watched_event& wait = view_.process.threads[each.to_thread].events[each.to_event];
      builder_.add_wake({.to_track = each.to_thread,
                         .to_ns = wait.end_ns,
                         .from_track = each.from_thread,
                         .from_read = 0,
                         .from_ns = each.from_ns});
    }
    report_detail::timeline_picture made = builder_.finish(view_.end_ns(), 0);
    // What lies between its events may be code that is not watched, so a lane does not tell when a
    // core was busy.
    for (picture_lane& lane : made.lanes) lane.kind = report_detail::lane_kind::background;
    return made;
  }

 private:
  void add(std::uint32_t number, const std::string& name) {
    const watched_thread& thread = view_.process.threads[number];
    if (thread.begin_ns >= view_.end_ns()) return;
    picture_lane lane;
    lane.name = name;
    lane.events_lost = thread.lost_events;
    lane.begin_ns = thread.begin_ns;
    if (thread.has_ended) lane.end_ns = thread.end_ns;
    if (thread.is_main && view_.process.main_ns) {
      lane.spans.push_back({0, *view_.process.main_ns, builder_.number_of("before main", false),
                            overture::no_subject});
    }
    for (const watched_event& each : thread.events) {
      if (each.begin_ns >= view_.end_ns()) break;
      if (is_drawn(each)) add(lane, each);
    }
    builder_.add_lane(std::move(lane), number);
  }

  void add(picture_lane& lane, const watched_event& event) {
    const std::uint32_t name = builder_.number_of(span_name(event), is_wait(event.kind));
    const bool has_file =
        event.kind != event_kind::zone && event.kind != event_kind::spin && !is_wait(event.kind);
    const auto row = row_of_.find(has_file ? event.id : 0);
    const std::uint32_t file = row == row_of_.end() ? overture::no_subject : row->second;
    if (!lane.spans.empty()) {
      report_detail::picture_span& last = lane.spans.back();
      const bool is_next = event.begin_ns >= last.end_ns &&
                           event.begin_ns - last.end_ns < gap_ns_max && last.name == name &&
                           last.file == file && !is_wait(event.kind);
      if (is_next && event.end_ns <= end_around(lane)) {
        last.end_ns = event.end_ns;
        return;
      }
    }
    lane.spans.push_back({event.begin_ns, event.end_ns, name, file});
    while (!open_.empty() && open_.back() <= event.begin_ns) open_.pop_back();
    open_.push_back(event.end_ns);
  }

  // Of the span around the last one.
  [[nodiscard]] std::uint64_t end_around(const picture_lane& lane) const {
    for (auto at = open_.rbegin(); at != open_.rend(); ++at) {
      if (*at > lane.spans.back().end_ns) return *at;
    }
    return UINT64_MAX;
  }

  const load_view& view_;
  picture_builder builder_;
  std::map<std::uint32_t, std::uint32_t> row_of_;
  std::vector<std::uint64_t> open_;  // the ends of spans that are around what comes
};

}  // namespace

report_detail::timeline_picture picture_of(const load_view& view) {
  return watch_painter(view).paint();
}

std::vector<report_row> files_of(const load_view& view) {
  std::map<std::uint32_t, const file_use*> uses;
  for (const file_use& each : view.files) uses[each.name] = &each;
  std::vector<report_row> rows;
  for (const std::uint32_t name : names_in_rows(view)) {
    const file_use& use = *uses[name];
    report_row row{.path = std::string(view.process.name(name)),
                   .mount = report_row::unknown_mount,
                   .state = overture::file_state::ready,
                   .bytes = use.bytes,
                   .began_ns = std::max<std::uint64_t>(use.first_ns, 1)};
    row.device_ns = use.access_ns();
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace overture::watch
