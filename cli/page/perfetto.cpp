// SPDX-License-Identifier: Zlib
//
// A load as a Perfetto trace: perfetto/trace/{trace_packet,track_event/*}.proto. Only what is
// needed of protobuf is written here: fields of varints, of eight bytes, and of bytes.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "page/exports.hpp"

namespace overture::cli {

namespace {

class proto_message {
 public:
  proto_message& number(unsigned field, std::uint64_t value) {
    varint(std::uint64_t{field} << 3);
    varint(value);
    return *this;
  }
  proto_message& fixed(unsigned field, std::uint64_t value) {
    varint(std::uint64_t{field} << 3 | 1);
    for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xFF);
    return *this;
  }
  proto_message& text(unsigned field, std::string_view value) {
    varint(std::uint64_t{field} << 3 | 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  proto_message& message(unsigned field, const proto_message& value) {
    return text(field, value.bytes_);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 128; value /= 128) bytes_ += static_cast<char>(value % 128 + 128);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

// Fields of TracePacket, TrackDescriptor and TrackEvent.
namespace packet_field {
constexpr unsigned timestamp = 8;
constexpr unsigned sequence = 10;
constexpr unsigned event = 11;
constexpr unsigned flags = 13;
constexpr unsigned descriptor = 60;
}  // namespace packet_field
namespace track_field {
constexpr unsigned uuid = 1;
constexpr unsigned name = 2;
constexpr unsigned process = 3;
constexpr unsigned thread = 4;
constexpr unsigned parent = 5;
constexpr unsigned counter = 8;
}  // namespace track_field
namespace event_field {
constexpr unsigned annotation = 4;
constexpr unsigned type = 9;
constexpr unsigned track = 11;
constexpr unsigned category = 22;
constexpr unsigned name = 23;
constexpr unsigned counter_value = 30;
constexpr unsigned flow = 47;
constexpr unsigned flow_end = 48;
}  // namespace event_field

enum class event_type : std::uint8_t { begin = 1, end = 2, counter = 4 };

constexpr std::uint64_t process_track = 1;
constexpr std::uint64_t first_lane_track = 2;
constexpr std::uint64_t first_read_track = 1u << 20;
constexpr std::uint64_t first_counter_track = 1u << 21;
constexpr std::uint64_t sequence_number = 1;
constexpr std::uint64_t state_is_cleared = 1;

// The flows of a span: those that begin in it, and the one that it ends.
struct span_flows {
  std::vector<std::uint64_t> begins;
  std::vector<std::uint64_t> ends;
};

class perfetto_writer {
 public:
  explicit perfetto_writer(const load_model& load) : load_(load), picture_(load.picture) {}

  std::string write() {
    out_ = perfetto_beginning;
    place_flows();
    lanes();
    reads();
    counters();
    return std::move(out_);
  }

 private:
  using span_id = std::pair<std::uint32_t, std::size_t>;  // lane and number

  void packet(const proto_message& of) { out_ += proto_message().message(1, of).bytes(); }
  void track(const proto_message& descriptor) {
    packet(proto_message()
               .number(packet_field::sequence, sequence_number)
               .message(packet_field::descriptor, descriptor));
  }
  void event(std::uint64_t at_ns, const proto_message& of) {
    packet(proto_message()
               .number(packet_field::timestamp, at_ns)
               .number(packet_field::sequence, sequence_number)
               .message(packet_field::event, of));
  }
  static proto_message event_on(std::uint64_t track, event_type type) {
    proto_message made;
    made.number(event_field::type, static_cast<std::uint64_t>(type));
    made.number(event_field::track, track);
    return made;
  }

  // From the innermost span in which the thread woke another, or the read that did, to what that
  // did next.
  void place_flows() {
    std::uint64_t id = 0;
    for (const picture_wake& wake : picture_.wakes) {
      ++id;
      const std::vector<picture_span>& woken = picture_.lanes[wake.to_lane].spans;
      const auto next =
          std::partition_point(woken.begin(), woken.end(),
                               [&](const picture_span& s) { return s.begin_ns < wake.to_ns; });
      if (next == woken.end()) continue;
      if (wake.from_lane == picture_wake::by_read) {
        read_flows_[wake.from_read].push_back(id);
      } else if (const auto from = span_at(wake.from_lane, wake.from_ns)) {
        flows_[{wake.from_lane, *from}].begins.push_back(id);
      } else {
        continue;
      }
      flows_[{wake.to_lane, static_cast<std::size_t>(next - woken.begin())}].ends.push_back(id);
    }
  }
  [[nodiscard]] std::optional<std::size_t> span_at(std::uint32_t lane, std::uint64_t time) const {
    const std::vector<picture_span>& spans = picture_.lanes[lane].spans;
    auto at = std::partition_point(spans.begin(), spans.end(),
                                   [&](const picture_span& s) { return s.begin_ns <= time; });
    constexpr int looks_max = 64;  // spans that ended inside the one that is looked for
    for (int looks = 0; looks < looks_max && at != spans.begin(); ++looks) {
      if ((--at)->end_ns >= time) return static_cast<std::size_t>(at - spans.begin());
    }
    return {};
  }

  void lanes() {
    for (std::uint32_t i = 0; i < picture_.lanes.size(); ++i) {
      const picture_lane& lane = picture_.lanes[i];
      const std::uint64_t uuid = first_lane_track + i;
      proto_message thread;
      thread.number(1, 1).number(2, uuid).text(5, lane.name);
      track(proto_message()
                .number(track_field::uuid, uuid)
                .number(track_field::parent, process_track)
                .message(track_field::thread, thread));
      std::vector<std::uint64_t> open;
      const auto close_until = [&](std::uint64_t time) {
        while (!open.empty() && open.back() <= time) {
          event(open.back(), event_on(uuid, event_type::end));
          open.pop_back();
        }
      };
      for (std::size_t j = 0; j < lane.spans.size(); ++j) {
        close_until(lane.spans[j].begin_ns);
        begin_span(uuid, {i, j}, lane.spans[j]);
        open.push_back(lane.spans[j].end_ns);
      }
      close_until(UINT64_MAX);
    }
  }

  void begin_span(std::uint64_t uuid, const span_id& id, const picture_span& span) {
    const picture_name& name = picture_.names[span.name];
    proto_message of = event_on(uuid, event_type::begin);
    of.text(event_field::category, name.is_wait ? "wait" : "zone");
    of.text(event_field::name, name.name);
    annotate(of, span.file);
    if (const auto flows = flows_.find(id); flows != flows_.end()) {
      for (const std::uint64_t flow : flows->second.begins) of.fixed(event_field::flow, flow);
      for (const std::uint64_t flow : flows->second.ends) of.fixed(event_field::flow_end, flow);
    }
    event(span.begin_ns, of);
  }

  void annotate(proto_message& of, std::uint32_t file) const {
    if (file >= load_.what.files.size()) return;
    proto_message annotation;
    annotation.text(10, "file").text(6, load_.what.files[file].path);
    of.message(event_field::annotation, annotation);
  }

  // On as many tracks as reads were in flight at a time.
  void reads() {
    std::vector<std::uint64_t> ends;
    for (std::size_t i = 0; i < picture_.reads.size(); ++i) {
      const picture_read& read = picture_.reads[i];
      auto free = std::find_if(ends.begin(), ends.end(),
                               [&](std::uint64_t end) { return end <= read.begin_ns; });
      const auto number = static_cast<std::uint64_t>(free - ends.begin());
      const std::uint64_t uuid = first_read_track + number;
      if (free == ends.end()) {
        ends.push_back(0);
        free = ends.end() - 1;
        track(proto_message()
                  .number(track_field::uuid, uuid)
                  .number(track_field::parent, process_track)
                  .text(track_field::name, "read " + std::to_string(number)));
      }
      *free = read.end_ns;
      proto_message of = event_on(uuid, event_type::begin);
      of.text(event_field::category, "request");
      of.text(event_field::name, read.is_cached ? "read from the page cache" : "read");
      annotate(of, read.file);
      const auto flows = read_flows_.find(static_cast<std::uint32_t>(i));
      if (flows != read_flows_.end()) {
        for (const std::uint64_t flow : flows->second) of.fixed(event_field::flow, flow);
      }
      event(read.begin_ns, of);
      read_part(uuid, read.served_ns, read.read_begin_ns(), wait_reasons::solid_block);
      read_part(uuid, read.read_end_ns(), read.end_ns, to_string(load_stage::unpack));
      event(read.end_ns, event_on(uuid, event_type::end));
    }
  }

  // What of a read out of a solid block was no reading.
  void read_part(std::uint64_t uuid, std::uint64_t begin_ns, std::uint64_t end_ns,
                 const char* name) {
    if (begin_ns == end_ns) return;
    proto_message of = event_on(uuid, event_type::begin);
    of.text(event_field::category, "request");
    of.text(event_field::name, name);
    event(begin_ns, of);
    event(end_ns, event_on(uuid, event_type::end));
  }

  void counters() {
    for (std::size_t i = 0; i < picture_.counters.size(); ++i) {
      const std::uint64_t uuid = first_counter_track + i;
      track(proto_message()
                .number(track_field::uuid, uuid)
                .number(track_field::parent, process_track)
                .text(track_field::name, picture_.counters[i].name)
                .message(track_field::counter, proto_message()));
      for (const counter_value& each : picture_.counters[i].values) {
        proto_message of = event_on(uuid, event_type::counter);
        of.number(event_field::counter_value, each.value);
        event(each.at_ns, of);
      }
    }
  }

  const load_model& load_;
  const timeline_picture& picture_;
  std::string out_;
  std::map<span_id, span_flows> flows_;
  std::map<std::uint32_t, std::vector<std::uint64_t>> read_flows_;
};

// The process, which every trace has.
std::string first_packet() {
  proto_message process;
  process.number(1, 1).text(6, "overture");
  proto_message descriptor;
  descriptor.number(track_field::uuid, process_track).message(track_field::process, process);
  proto_message packet;
  packet.number(packet_field::sequence, sequence_number)
      .number(packet_field::flags, state_is_cleared)
      .message(packet_field::descriptor, descriptor);
  return proto_message().message(1, packet).bytes();
}

const std::string first_bytes = first_packet();

}  // namespace

const std::string_view perfetto_beginning = first_bytes;

std::string perfetto_trace(const load_model& load) {
  return perfetto_writer(load).write();
}

}  // namespace overture::cli
