// SPDX-License-Identifier: Zlib
//
// A timeline as Chrome trace events, for Perfetto, chrome://tracing and Tracy's importer.
//
//   {"name":"decode","cat":"zone","ph":"X","pid":1,"tid":2,"ts":12.345,"dur":1.250,"args":{...}}
//
// ph: X is a span (the spans of a track must nest), i an instant, C a counter, M the name of a
// process or track, s and f the ends of a flow: from the span around s to the next one after f.
// Importers require a numeric pid and tid in every event, and parents before their children.
#include <algorithm>
#include <functional>
#include <utility>

#include "base/utf8.hpp"
#include "base/vec.hpp"
#include "overture/base/limits.hpp"
#include "overture/base/version.hpp"
#include "overture/trace/timeline.hpp"
#include "trace/json_writer.hpp"
#include "trace/request_tracks.hpp"

namespace overture {
using namespace base_detail;
using trace_detail::request_tracks;

namespace {

// Viewers have a fixed palette, named after its use in Chrome.
const char* viewers_name(zone_colour colour) noexcept {
  switch (colour) {
    case zone_colour::by_name:
    case zone_colour::grey:
      break;
    case zone_colour::red:
      return "terrible";
    case zone_colour::orange:
      return "bad";
    case zone_colour::yellow:
      return "yellow";
    case zone_colour::green:
      return "good";
    case zone_colour::blue:
      return "rail_response";
  }
  return "grey";
}

constexpr std::uint64_t first_request_tid = 1000;

struct ordered_event {
  const trace_event* event;
  std::uint64_t order;                   // position in its track
  const trace_event* service = nullptr;  // of a request
  const trace_event* unpack = nullptr;   // likewise, out of a solid block
  const trace_event* wait = nullptr;     // likewise, for that block
  const char* thread = "";
};

// What is known of a request beyond its event; nulls: nothing.
struct request_details {
  const trace_event* service = nullptr;
  const trace_event* unpack = nullptr;
  const trace_event* wait = nullptr;
  const char* thread = "";
};

// A request, and the track that it stands on.
struct placed_request {
  const trace_event* event;
  std::uint64_t tid;
};

struct flag_name {
  std::uint16_t flag;
  const char* text;
};
constexpr flag_name flag_names[] = {
    {request_flags::merged, "merged"}, {request_flags::shared, "shared"},
    {request_flags::viewed, "viewed"}, {request_flags::cached, "cached"},
    {request_flags::sync, "sync"},     {request_flags::cancelled, "cancelled"},
    {request_flags::failed, "failed"}, {request_flags::late, "late"},
    {request_flags::block, "block"},
};

std::uint64_t end_ns(const trace_event& event) noexcept {
  return std::max(event.begin_ns, event.end_ns);
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t bytes = utf8_character_bytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

// Orders parents before children: a parent begins first, or else ends last, or was recorded last.
bool begins_before(const ordered_event& a, const ordered_event& b) noexcept {
  if (a.event->begin_ns != b.event->begin_ns) return a.event->begin_ns < b.event->begin_ns;
  if (end_ns(*a.event) != end_ns(*b.event)) return end_ns(*a.event) > end_ns(*b.event);
  return a.order > b.order;
}

class chrome_json {
 public:
  chrome_json(const timeline& record, text_sink& sink, const chrome_json_options& options) noexcept
      : record_(record),
        options_(options),
        out_(sink),
        events_(record.memory(), memory_tag::trace),
        requests_(record.memory(), memory_tag::trace) {}

  result<void> write() {
    out_.raw("{\"traceEvents\":[\n");
    write_name("process_name", 1, options_.process_name);
    for (std::size_t i = 0; i < record_.track_count(); ++i) {
      if (const result<void> done = write_thread(record_.track(i), i + 1); !done) return done;
    }
    if (const result<void> done = write_unthreaded(event_kind::request, "request", "read ");
        !done) {
      return done;
    }
    if (const result<void> done = write_unthreaded(event_kind::room, "room", "room "); !done) {
      return done;
    }
    if (const result<void> done = write_unthreaded(event_kind::delay, "delay", "wait "); !done) {
      return done;
    }
    if (const result<void> done = write_counters(); !done) return done;
    if (const result<void> done = write_flows(); !done) return done;
    if (const result<void> done = write_releases(); !done) return done;
    out_.raw("\n],\"displayTimeUnit\":\"ms\",\"otherData\":{\"version\":");
    out_.string(version);
    out_.raw(",\"events_lost\":");
    out_.number(events_lost_);
    out_.raw("}}\n");
    return out_.finish();
  }

 private:
  result<void> write_thread(const timeline_track& track, std::uint64_t tid) {
    events_lost_ += track.events_lost();
    write_track_names(tid, track.name(), &track);
    events_.clear();
    const bool gathered = gather(track, [](event_kind kind) {
      return kind == event_kind::zone || kind == event_kind::wait || kind == event_kind::instant;
    });
    vec<std::uint64_t> open_ends_ns{record_.memory(), memory_tag::trace};
    if (!gathered) return out_of_memory();
    std::sort(events_.begin(), events_.end(), begins_before);
    for (const auto& [event, order, service, unpack, wait, thread] : events_) {
      if (out_.failed()) break;
      if (event->kind == event_kind::instant) {
        begin_event(event->name, "mark", 'i', tid, event->begin_ns);
        out_.raw(",\"s\":\"t\"");
        end_event(*event);
        continue;
      }
      while (!open_ends_ns.empty() && open_ends_ns.back() <= event->begin_ns) {
        open_ends_ns.pop_back();
      }
      std::uint64_t end = end_ns(*event);
      if (!open_ends_ns.empty()) end = std::min(end, open_ends_ns.back());
      if (!open_ends_ns.push_back(end)) return out_of_memory();
      write_span(*event, event->kind == event_kind::wait ? "wait" : "zone", tid, end);
    }
    return {};
  }

  // What is on no thread gets tracks of its own.
  result<void> write_unthreaded(event_kind kind, const char* category, const char* track_name) {
    if (!gather_all(kind)) return out_of_memory();
    // Very many threads push these tracks up.
    const std::uint64_t first_tid = std::max<std::uint64_t>(next_tid_, record_.track_count() + 1);
    request_tracks tracks{record_.memory()};
    for (const auto& [event, order, service, unpack, wait, thread] : events_) {
      if (out_.failed()) break;
      const std::uint32_t tracks_before = tracks.count();
      const result<std::uint32_t> track = tracks.take(event->begin_ns, end_ns(*event));
      if (!track) return tl::unexpected<error>(track.error());
      if (tracks.count() != tracks_before) write_own_track(first_tid, *track, track_name);
      if (kind == event_kind::request && !requests_.push_back({event, first_tid + *track})) {
        return out_of_memory();
      }
      write_span(*event, category, first_tid + *track, end_ns(*event),
                 {service, unpack, wait, thread});
    }
    next_tid_ = first_tid + tracks.count();
    return {};
  }

  // Counters belong to the process. They name its first thread because every event must name one.
  result<void> write_counters() {
    if (!gather_all(event_kind::counter)) return out_of_memory();
    for (const auto& [event, order, service, unpack, wait, thread] : events_) {
      if (out_.failed()) break;
      begin_event(event->name, "counter", 'C', 1, event->begin_ns);
      out_.raw(",\"args\":{");
      out_.string(event->name);
      out_.raw(":");
      out_.number(event->value);
      out_.raw("}}");
    }
    return {};
  }

  // A wake by a thread that has just finished a read comes from the read: the thread itself did no
  // work that could show it.
  result<void> write_flows() {
    std::sort(requests_.begin(), requests_.end(),
              [](const placed_request& a, const placed_request& b) {
                return std::less<>()(a.event, b.event);
              });
    const auto write = [&](const wake_flow& flow) {
      std::uint64_t from_tid = flow.from_track + 1;
      std::uint64_t from_ns = flow.from_ns;
      if (flow.request) {
        from_tid = tid_of(*flow.request);
        from_ns = end_ns(*flow.request);
      }
      ++flows_;
      write_flow_end("wake", 's', from_tid, within(from_ns));
      write_flow_end("wake", 'f', flow.to_track + 1, within(flow.to_ns));
    };
    return for_each_wake(record_, write);
  }
  // From inside the last zone of what was needed to the next span of what needed it.
  result<void> write_releases() {
    return for_each_release(record_, [this](const release_flow& flow) {
      ++flows_;
      write_flow_end("need", 's', flow.from_track + 1, within(flow.from_ns));
      write_flow_end("need", 'f', flow.to_track + 1, within(flow.to_ns));
    });
  }
  // What ends at a time is over then for viewers.
  static std::uint64_t within(std::uint64_t end) noexcept { return end > 0 ? end - 1 : 0; }

  // Of the flow that was counted last.
  void write_flow_end(const char* name, char phase, std::uint64_t tid, std::uint64_t at_ns) {
    begin_event(name, name, phase, tid, at_ns);
    out_.raw(",\"id\":");
    out_.number(flows_);
    out_.raw("}");
  }
  [[nodiscard]] std::uint64_t tid_of(const trace_event& request) const noexcept {
    const placed_request* const found = std::lower_bound(
        requests_.begin(), requests_.end(), &request,
        [](const placed_request& a, const trace_event* b) { return std::less<>()(a.event, b); });
    return found->tid;
  }

  void write_own_track(std::uint64_t first_tid, std::uint32_t track, const char* kind) {
    char name[16] = {};
    std::copy_n(kind, 5, name);
    *std::to_chars(name + 5, name + sizeof name - 1, track).ptr = '\0';
    write_track_names(first_tid + track, name);
  }

  void write_track_names(std::uint64_t tid, std::string_view name,
                         const timeline_track* track = nullptr) {
    out_.raw(",\n");
    write_name("thread_name", tid, name, track);
    out_.raw(",\n{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":1,\"tid\":");
    out_.number(tid);
    out_.raw(",\"args\":{\"sort_index\":");
    out_.number(tid);
    out_.raw("}}");
  }

  // Of a thread with what its events do not tell.
  void write_name(std::string_view what, std::uint64_t tid, std::string_view name,
                  const timeline_track* track = nullptr) {
    out_.raw("{\"name\":");
    out_.string(what);
    out_.raw(",\"ph\":\"M\",\"pid\":1,\"tid\":");
    out_.number(tid);
    out_.raw(",\"args\":{\"name\":");
    out_.string(name);
    if (track && track->cpu_ns() != 0) {
      out_.raw(",\"cpu_us\":");
      out_.microseconds(track->cpu_ns());
    }
    if (track && track->events_lost() != 0) {
      out_.raw(",\"events_lost\":");
      out_.number(track->events_lost());
    }
    out_.raw("}}");
  }

  void write_span(const trace_event& event, const char* category, std::uint64_t tid,
                  std::uint64_t end, const request_details& details = {}) {
    begin_event(event.name, category, 'X', tid, event.begin_ns);
    out_.raw(",\"dur\":");
    out_.microseconds(since_start(end) - since_start(event.begin_ns));
    if (event.colour != zone_colour::by_name) {
      out_.raw(",\"cname\":\"");
      out_.raw(viewers_name(event.colour));
      out_.raw("\"");
    }
    end_event(event, details);
  }

  void begin_event(const char* name, const char* category, char phase, std::uint64_t tid,
                   std::uint64_t begin_ns) {
    out_.raw(",\n{\"name\":");
    out_.string(name);
    out_.raw(",\"cat\":\"");
    out_.raw(category);
    out_.raw("\",\"ph\":\"");
    out_.raw({&phase, 1});
    out_.raw("\",\"pid\":1,\"tid\":");
    out_.number(tid);
    out_.raw(",\"ts\":");
    out_.microseconds(since_start(begin_ns));
  }

  void end_event(const trace_event& event, const request_details& details = {}) {
    out_.raw(",\"args\":{");
    const bool has_value = event.kind != event_kind::wait && event.kind != event_kind::room &&
                           event.kind != event_kind::delay;
    const std::uint64_t value = has_value ? event.value : 0;
    if (event.subject != no_subject) {
      out_.raw("\"subject\":");
      write_subject(event.subject);
      if (value != 0) out_.raw(",");
    }
    if (value != 0) {
      out_.raw(event.kind == event_kind::instant ? "\"value\":" : "\"bytes\":");
      out_.number(value);
    }
    if (event.kind == event_kind::room) write_other(event, "\"held_by\":", ",\"held_by_number\":");
    if (event.kind == event_kind::delay) {
      write_other(event, "\"ended_by\":", ",\"ended_by_number\":");
    }
    const bool follows = event.subject != no_subject || value != 0;
    write_flags(event.flags, follows);
    const bool is_read = details.service || event.flags != 0;
    if (is_read && event.subject != no_subject) write_layer(event.subject);
    if (details.service) {
      if (follows) out_.raw(",");
      write_service(event, *details.service, details.thread);
      write_block(details);
    }
    out_.raw("}}");
  }

  // The subject that the value means.
  void write_other(const trace_event& event, const char* key, const char* number_key) {
    if (event.value == 0) return;
    if (event.subject != no_subject) out_.raw(",");
    out_.raw(key);
    write_subject(static_cast<std::uint32_t>(event.value - 1), number_key);
  }

  // What of the service was no reading.
  void write_block(const request_details& details) {
    if (details.unpack) {
      out_.raw(",\"packed_bytes\":");
      out_.number(details.unpack->value);
      out_.raw(",\"unpack_us\":");
      out_.microseconds(duration_ns(details.unpack->begin_ns, details.unpack->end_ns));
    }
    if (details.wait) {
      out_.raw(",\"block_wait_us\":");
      out_.microseconds(duration_ns(details.wait->begin_ns, details.wait->end_ns));
    }
  }

  void write_service(const trace_event& event, const trace_event& service, const char* thread) {
    out_.raw("\"offset\":");
    out_.number(service.value);
    if (service.subject != no_subject) {
      out_.raw(",\"source\":");
      out_.number(service.subject);
    }
    out_.raw(",\"priority\":");
    out_.string(service.name);
    out_.raw(",\"queue_us\":");
    out_.microseconds(duration_ns(event.begin_ns, service.begin_ns));
    out_.raw(",\"service_us\":");
    out_.microseconds(duration_ns(service.begin_ns, service.end_ns));
    out_.raw(",\"thread\":");
    out_.string(thread);
    write_flags(service.flags, true);
  }
  void write_flags(std::uint16_t flags, bool follows) {
    for (const flag_name& each : flag_names) {
      if ((flags & each.flag) == 0) continue;
      out_.raw(std::exchange(follows, true) ? ",\"" : "\"");
      out_.raw(each.text);
      out_.raw("\":true");
    }
  }
  static std::uint64_t duration_ns(std::uint64_t begin_ns, std::uint64_t end_ns) noexcept {
    return end_ns > begin_ns ? end_ns - begin_ns : 0;
  }

  void write_subject(std::uint32_t subject, const char* number_key = ",\"number\":") {
    const std::string_view name = told_of(subject, options_.subject_name);
    if (name.empty()) return out_.number(subject);
    out_.string(name);
    // Two names may be the same text once they are.
    if (is_utf8(name)) return;
    out_.raw(number_key);
    out_.number(subject);
  }

  void write_layer(std::uint32_t subject) {
    const std::string_view layer = told_of(subject, options_.subject_layer);
    if (layer.empty()) return;
    out_.raw(",\"layer\":");
    out_.string(layer);
  }

  // What the host says about a subject; valid until the next call.
  [[nodiscard]] std::string_view told_of(
      std::uint32_t subject, function_ref<std::size_t(std::uint32_t, std::span<char>)>* tell) {
    if (!tell) return {};
    std::size_t length = 0;
    if (!base_detail::guarded_call([&] { length = (*tell)(subject, subject_text_); })) {
      out_.give_up(errc::threw, "the function that names subjects threw an exception");
    }
    return {subject_text_, std::min(length, sizeof subject_text_)};
  }

  [[nodiscard]] std::uint64_t since_start(std::uint64_t ns) const noexcept {
    return ns > record_.start_ns() ? ns - record_.start_ns() : 0;
  }

  static void add_detail(ordered_event& to, const trace_event& detail) noexcept {
    if (detail.kind == event_kind::service) {
      to.service = &detail;
    } else if (std::string_view(detail.name) == "unpack") {
      to.unpack = &detail;
    } else {
      to.wait = &detail;
    }
  }

  // Appends the track's events of the wanted kinds. False if memory is refused.
  template <class Wanted>
  [[nodiscard]] bool gather(const timeline_track& track, Wanted wanted) {
    bool room = true;
    std::uint64_t order = 0;
    ordered_event* last = nullptr;  // the request that details may follow
    track.for_each_event([&](const trace_event& event) {
      if (event.kind == event_kind::service || event.kind == event_kind::part) {
        if (last) add_detail(*last, event);
        return;
      }
      last = nullptr;
      if (!room || !wanted(event.kind)) return;
      ordered_event added{.event = &event, .order = order++, .thread = track.name()};
      room = events_.push_back(added);
      if (room && event.kind == event_kind::request) last = &events_.back();
    });
    return room;
  }

  // Gathers the events of one kind from all tracks, by begin time.
  [[nodiscard]] bool gather_all(event_kind wanted) {
    events_.clear();
    for (std::size_t i = 0; i < record_.track_count(); ++i) {
      if (!gather(record_.track(i), [=](event_kind kind) { return kind == wanted; })) return false;
    }
    std::sort(events_.begin(), events_.end(), begins_before);
    return true;
  }

  static tl::unexpected<error> out_of_memory() {
    return fail(errc::out_of_memory, "out of memory for sorting the timeline's events");
  }

  const timeline& record_;
  const chrome_json_options& options_;
  trace_detail::json_writer out_;
  vec<ordered_event> events_;
  vec<placed_request> requests_;
  std::uint64_t events_lost_ = 0;
  std::uint64_t flows_ = 0;  // written so far; they share one line of numbers
  std::uint64_t next_tid_ = first_request_tid;
  char subject_text_[limits::path_bytes_max];
};

}  // namespace

result<void> write_chrome_json(const timeline& record, text_sink& sink,
                               const chrome_json_options& options) {
  return chrome_json{record, sink, options}.write();
}

}  // namespace overture
