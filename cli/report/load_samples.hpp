// SPDX-License-Identifier: Zlib
//
// What repeated loads of the same mounts, or runs of the same program, took, measure by measure.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "terminal/json_output.hpp"

namespace overture::cli {

struct report;
struct report_time;

// Of a program that was watched, stages and waits are the main thread's.
enum class measure_kind : unsigned char {
  load,   // seconds: "load", "mount"; of all threads: "processor"; of workers: "waiting", "threads"
  stage,  // seconds of all threads
  cpu,    // seconds of CPU time of all threads, by stage
  wait,   // seconds of all workers, by reason
  mount,  // seconds of all threads
  type,   // likewise, by extension
  finding,  // seconds, of a program that was watched
  file,     // seconds of all threads, with the device; the slowest
  bytes,    // "peak memory", "from disk", "from cache", "read"
};
inline constexpr std::size_t measure_kind_count = 9;
[[nodiscard]] const char* to_string(measure_kind kind);
[[nodiscard]] std::optional<measure_kind> measure_kind_of(std::string_view name);

struct measure {
  measure_kind kind = measure_kind::load;
  std::string name = {};
  std::vector<double> values = {};  // one for each load
};

struct load_samples {
  std::size_t loads = 0;
  std::string hash = {};  // of the files of the last load
  unsigned threads = 0;
  std::string program = {};            // that was watched; empty for loads
  bool is_cold = false;                // of such a program
  std::vector<measure> measures = {};  // by kind, then name; files slowest first

  [[nodiscard]] const measure* find(measure_kind kind, std::string_view name) const;
};

// Collects load after load.
class sample_collector {
 public:
  // Of a load that was not interrupted. Files and mounts count if the report lists its files.
  void add(const report& load);
  // The same value by value, up to the end of each load.
  void add_value(measure_kind kind, const std::string& name, double value);
  void end_load() { ++loads_; }
  [[nodiscard]] std::size_t loads() const { return loads_; }
  [[nodiscard]] load_samples finish() const;

 private:
  std::map<std::pair<measure_kind, std::string>, std::vector<double>> values_;
  std::size_t loads_ = 0;
  std::string hash_;
  unsigned threads_ = 0;
};

// Of the load, of mounting, and of each stage.
[[nodiscard]] std::vector<report_time> times_of(const load_samples& samples);
[[nodiscard]] json measures_json(const load_samples& samples);

}  // namespace overture::cli
