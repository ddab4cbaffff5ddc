// SPDX-License-Identifier: Zlib
//
// A load from its trace: what the events of the file tell of it.
//
//   traced_load load;
//   trace_reading reading = read_trace_events(file, [&](const trace_line& line) { load.add(line);
//   }); load.finish();
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/model/report_model.hpp"
#include "report/page/picture_builder.hpp"
#include "report/page/trace_line.hpp"

namespace overture::report_detail {

class traced_load {
 public:
  void add(const trace_line& line);
  // Once, when all events are added. What is shown ends with the last stage of a file, or with the
  // last event.
  enum class ending : std::uint8_t { last_stage, last_event };
  void finish(ending with = ending::last_stage);

  // After that.
  [[nodiscard]] const timeline_picture& picture() const { return picture_; }
  // Where all of its threads were in their stages, if the trace has both marks of a load, or else
  // an estimate: from the first stage to the last.
  [[nodiscard]] std::uint64_t load_ns() const { return end_ns_ - begin_ns_; }
  // What the load itself measured; nothing if the trace does not tell. The marks of a trace stand a
  // little outside it.
  [[nodiscard]] std::optional<std::uint64_t> told_ns() const { return told_ns_; }
  // The events that a page shows, and those of kinds that it does not know.
  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] std::uint64_t foreign_events() const { return foreign_events_; }
  // The thread of the last event.
  [[nodiscard]] std::string last_thread() const;

  // All of a report that a trace tells. Verdict and sums are made as those of a load that has just
  // ended.
  [[nodiscard]] load_report report_of_trace() const;
  // The files that a report does not have. Their mounts are numbered as there.
  [[nodiscard]] std::vector<report_row> rows_for(const load_report& what) const;

 private:
  using track_id = std::pair<std::uint64_t, std::uint64_t>;  // process and thread
  struct track {
    picture_lane lane;
    std::map<std::pair<const char*, event_kind>, trace_total> totals;
    std::uint64_t cpu_ns = 0;
    std::uint32_t number = 0;
    bool has_requests = false;                       // and nothing else
    std::map<std::uint64_t, std::uint32_t> read_at;  // by their ends
  };
  struct traced_name {
    const char* text = nullptr;
    std::uint32_t number = 0;          // of the picture
    std::optional<std::size_t> stage;  // of work
  };
  struct traced_file {
    std::string path;
    std::string layer;
    std::uint64_t began_ns = UINT64_MAX;
    stage_times stage_ns{};
    stage_times stage_bytes{};
    std::uint8_t stages = 0;  // a bit for each that it was in
    std::uint64_t queued_ns = 0;
    std::uint64_t device_ns = 0;
  };

  void add_span(const trace_line& line);
  void add_request(const trace_line& line);
  void add_delay(const trace_line& line);
  void add_mark(const trace_line& line);
  void add_flow_end(const trace_line& line);
  void add_to_stage(const trace_line& line, std::size_t stage, std::uint32_t number);
  [[nodiscard]] std::uint32_t number_of(const std::string& subject);
  [[nodiscard]] track& track_of(const track_id& id);
  [[nodiscard]] track& track_of(const trace_line& line) {
    return track_of({line.process, line.thread});
  }
  [[nodiscard]] const traced_name& name_of(const std::string& name, bool is_wait);
  void order_files();

  void sum_files(load_report& what) const;
  void sum_reads(load_report& what) const;
  void sum_types(load_report& what) const;
  void find_slowest(load_report& what) const;

  picture_builder builder_;
  timeline_picture picture_;
  std::map<track_id, track> tracks_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<traced_file> files_;
  std::unordered_map<std::string, traced_name> names_[2];              // of work, of waits
  std::map<std::uint64_t, std::pair<track_id, std::uint64_t>> flows_;  // that have begun
  std::optional<std::uint64_t> marked_begin_;
  std::optional<std::uint64_t> marked_end_;
  std::optional<std::uint64_t> told_ns_;
  std::uint64_t first_stage_ns_ = UINT64_MAX;
  std::uint64_t last_stage_ns_ = 0;
  std::uint64_t last_ns_ = 0;
  std::uint64_t begin_ns_ = 0;
  std::uint64_t end_ns_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t foreign_events_ = 0;
  track_id last_track_{};
};

}  // namespace overture::report_detail
