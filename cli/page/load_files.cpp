// SPDX-License-Identifier: Zlib
#include "page/load_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>
#include <variant>

#include "page/trace_events.hpp"
#include "report/page/critical_path.hpp"
#include "report/page/traced_load.hpp"
#include "report/report_model.hpp"
#include "report/report_read.hpp"
#include "system/native_path.hpp"
#include "system/system.hpp"
#include "terminal/display.hpp"
#include "terminal/messages.hpp"
#include "terminal/units.hpp"

namespace overture::cli {

namespace {

constexpr const char* how_to_make =
    "make one with: overture load --trace FILE, or overture load --json > FILE";
constexpr std::uint64_t rounding_max_ns = 1'000;  // of the seconds of a report

bool refuse(const std::string& path, const std::string& why) {
  print_error(fmt::format("{}: {}", printable(path), why));
  return false;
}

class load_reader {
 public:
  // False if it has printed an error.
  [[nodiscard]] bool add(const std::string& path) {
    std::error_code missing;
    const std::filesystem::file_status status = std::filesystem::status(native_path(path), missing);
    // Opening a pipe could wait for ever, and a device may have no end.
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
      return refuse(path, "cannot read it: not a regular file");
    }
    std::ifstream file(native_path(path), std::ios::binary);
    if (!file) return refuse_system(path);
    traced_load traced;
    const trace_reading reading =
        read_trace_events(file, [&](const trace_line& line) { traced.add(line); });
    if (reading.is_refused) return refuse_system(path);
    if (reading.is_report && !reading.is_trace) return add_report(path);
    return add_trace(path, reading, std::move(traced));
  }

  [[nodiscard]] std::optional<load_model> finish() {
    if (trace_ && report_ && !fit()) return std::nullopt;
    load_model made;
    if (report_) {
      made.what = std::move(*report_);
    } else {
      static_cast<load_report&>(made.what) = trace_->report_of_trace();
    }
    if (!trace_) return made;
    made.what.files = trace_->rows_for(made.what);
    made.picture = trace_->picture();
    made.picture.critical = critical_path(made.picture);
    say_what_is_missing(made);
    return made;
  }

 private:
  static bool refuse_system(const std::string& path) {
    const result<file_status> status = system_os().status(path.c_str(), true);
    return refuse(path, status ? "cannot read it" : "cannot read it: " + reason_of(status.error()));
  }

  bool add_report(const std::string& path) {
    if (report_) return refuse_second(path, "report");
    std::ifstream file(native_path(path), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    std::variant<report, std::string> read = parse_report(text);
    if (const std::string* const why = std::get_if<std::string>(&read)) {
      return refuse(path, "not a report that can be read: " + *why);
    }
    report_ = std::move(std::get<report>(read));
    report_path_ = path;
    return true;
  }

  bool add_trace(const std::string& path, const trace_reading& reading, traced_load traced) {
    if (!reading.is_trace) {
      return refuse(path, fmt::format("neither a trace nor a report of a load; {}", how_to_make));
    }
    if (trace_) return refuse_second(path, "trace");
    if (traced.events() == 0) {
      return refuse(path, reading.is_whole
                              ? fmt::format("a trace without an event that overture could show; {}",
                                            how_to_make)
                              : "the trace ends before its first event");
    }
    trace_.emplace(std::move(traced));
    trace_->finish();
    trace_path_ = path;
    trace_is_whole_ = reading.is_whole;
    return true;
  }

  static bool refuse_second(const std::string& path, const char* kind) {
    return refuse(path, fmt::format("a second {}; give one load: its trace, its report, or one of "
                                    "each",
                                    kind));
  }

  // Whether both are of one load.
  [[nodiscard]] bool fit() const {
    if (!trace_->told_ns()) return true;
    const std::uint64_t traced = *trace_->told_ns();
    const std::uint64_t reported = report_->summary.ns;
    const std::uint64_t difference = std::max(traced, reported) - std::min(traced, reported);
    if (difference <= rounding_max_ns) return true;
    const auto milliseconds = [](std::uint64_t ns) { return static_cast<double>(ns) / 1e6; };
    print_error(
        fmt::format("{} and {} are of two loads: one took {:.3f} ms, the other {:.3f} ms; give the "
                    "files of one",
                    printable(trace_path_), printable(report_path_), milliseconds(traced),
                    milliseconds(reported)));
    return false;
  }

  void say_what_is_missing(load_model& made) const {
    std::vector<std::string>& missing = made.what.missing;
    const auto events = [](std::uint64_t count) { return counted(count, "event", "events"); };
    if (!trace_is_whole_) {
      missing.push_back(fmt::format(
          "The trace ends after {}, in those of thread '{}': what came after them is missing.",
          events(trace_->events()), printable(trace_->last_thread())));
    }
    if (trace_->foreign_events() > 0) {
      missing.push_back(fmt::format(
          "{} of the trace {} of kinds that overture does not write, and "
          "left out.",
          events(trace_->foreign_events()), trace_->foreign_events() == 1 ? "is" : "are"));
    }
    if (report_) return;
    if (made.what.is_load) {
      missing.emplace_back(
          "Made of a trace alone, which tells no failures, warnings, overrides, skipped names and "
          "memory; give the --json of the load, too.");
    }
    if (const std::uint64_t lost = made.picture.events_lost(); lost > 0) {
      missing.push_back(fmt::format(
          "The trace lacks {} that were overwritten, so its sums are too small.", events(lost)));
    }
  }

  std::optional<traced_load> trace_;
  std::optional<report> report_;
  std::string trace_path_;
  std::string report_path_;
  bool trace_is_whole_ = true;
};

}  // namespace

bool is_trace_file(const std::string& path) {
  std::error_code missing;
  if (!std::filesystem::is_regular_file(native_path(path), missing)) return false;
  std::ifstream file(native_path(path), std::ios::binary);
  char c = 0;
  std::string beginning;  // without blanks
  while (beginning.size() < 14 && file >> c) beginning += c;
  return beginning.starts_with('[') || beginning == R"({"traceEvents")";
}

std::optional<load_model> read_load(const std::vector<std::string>& paths) {
  load_reader reader;
  for (const std::string& path : paths) {
    if (!reader.add(path)) return std::nullopt;
  }
  return reader.finish();
}

}  // namespace overture::cli
