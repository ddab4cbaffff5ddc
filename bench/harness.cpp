// SPDX-License-Identifier: Zlib
#include "harness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "system.hpp"

namespace bench {
namespace {

double cpu_elsewhere_s = 0;

sample measure(const std::function<void()>& run) {
  const double cpu_before = cpu_seconds() + cpu_elsewhere_s;
  const auto before = std::chrono::steady_clock::now();
  run();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - before;
  return {wall.count(), cpu_seconds() + cpu_elsewhere_s - cpu_before};
}

double value_of(const sample& taken, clock which) {
  return which == clock::wall ? taken.wall_s : taken.cpu_s;
}

// A line that is rewritten in place and erased at the end.
class status_line {
 public:
  explicit status_line(std::string what)
      : what_(std::move(what)), shown_(errors_go_to_a_terminal()) {}
  ~status_line() { clear(); }
  status_line(const status_line&) = delete;
  status_line& operator=(const status_line&) = delete;

  void show(const std::string& now) const {
    clear();
    if (shown_) fmt::print(stderr, "{}: {}", what_, now);
    (void)std::fflush(stderr);
  }

 private:
  void clear() const {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
  }
  std::string what_;
  bool shown_;
};

std::string compiler() {
#ifdef __clang__
  return fmt::format("clang {}.{}", __clang_major__, __clang_minor__);
#else
  return fmt::format("GCC {}.{}", __GNUC__, __GNUC_MINOR__);
#endif
}

// The processors, the system and the compiler, as recorded with the results.
std::string machine() {
  return fmt::format("{} x {}, {}, {}", std::thread::hardware_concurrency(), processor_model(),
                     system_name(), compiler());
}

}  // namespace

double cpu_seconds() {
  return process_cpu_seconds();
}

void count_cpu_elsewhere(double seconds) {
  cpu_elsewhere_s += seconds;
}

void interleave(std::vector<variant>& variants, int rounds, const std::string& what) {
  const status_line status(what);
  for (int round = 0; round <= rounds; ++round) {
    for (variant& each : variants) {
      status.show(round == 0 ? fmt::format("warming up, {}", each.name)
                             : fmt::format("round {} of {}, {}", round, rounds, each.name));
      const sample taken = measure(each.run);
      if (round > 0) each.samples.push_back(taken);
      if (each.after) each.after();
    }
  }
}

spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t last = values.size() - 1;
  return {values[last / 4], values[last / 2], values[last - last / 4]};
}

double percentile(std::vector<double> values, double share) {
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

spread time_of(const variant& measured, clock which) {
  std::vector<double> values;
  values.reserve(measured.samples.size());
  for (const sample& taken : measured.samples) values.push_back(value_of(taken, which));
  return spread_of(values);
}

std::vector<double> ratios(const variant& measured, const variant& reference, clock which) {
  std::vector<double> values;
  for (std::size_t i = 0; i < std::min(measured.samples.size(), reference.samples.size()); ++i) {
    values.push_back(value_of(measured.samples[i], which) / value_of(reference.samples[i], which));
  }
  return values;
}

spread ratio(const variant& measured, const variant& reference, clock which) {
  return spread_of(ratios(measured, reference, which));
}

spread ratio(const std::vector<double>& measured, const std::vector<double>& reference) {
  std::vector<double> values;
  for (std::size_t i = 0; i < std::min(measured.size(), reference.size()); ++i) {
    values.push_back(measured[i] / reference[i]);
  }
  return spread_of(values);
}

results::results(std::string bench_name) : name_(std::move(bench_name)) {
  fmt::print("{} on {}\n", name_, machine());
  (void)std::fflush(stdout);
}

void results::metric(const std::string& name, double value) {
  metrics_.push_back({name, value});
  fmt::print("  {:<58} {:>12.4g}\n", name, value);
  (void)std::fflush(stdout);
}

void results::goal(const std::string& name, const spread& value, double goal, bool at_most) {
  const goal_row row = goals_.emplace_back(goal_row{name, value, goal, at_most});
  fmt::print("  {:<58} {:>7.3f}  [{:.3f} .. {:.3f}]  goal {} {:<5g} {}\n", name, value.median,
             value.low, value.high, at_most ? "<=" : ">=", goal, row.met() ? "met" : "MISSED");
  (void)std::fflush(stdout);
}

int results::finish(const std::string& json_path) const {
  if (json_path.empty()) return 0;
  nlohmann::json out = {{"bench", name_}, {"machine", machine()}};
  out["metrics"] = nlohmann::json::object();
  for (const metric_row& row : metrics_) out["metrics"][row.name] = row.value;
  out["goals"] = nlohmann::json::array();
  for (const goal_row& row : goals_) {
    out["goals"].push_back({{"name", row.name},
                            {"value", row.value.median},
                            {"low", row.value.low},
                            {"high", row.value.high},
                            {"goal", row.goal},
                            {"at_most", row.at_most},
                            {"met", row.met()}});
  }
  std::ofstream file(json_path);
  file << out.dump(2) << '\n';
  file.close();
  if (!file) {
    fmt::print(stderr, "error: cannot write {}\n", json_path);
    return 1;
  }
  return 0;
}

}  // namespace bench
