// SPDX-License-Identifier: Zlib
//
// Shared by all benchmarks: fair measurement, and one format for results.
//
// Variants run in turn, round by round, so a change in the machine's speed affects all of them. A
// ratio is the median of the rounds' ratios. CPU time is that of the whole process and of the child
// processes that work for it.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace bench {

struct sample {
  double wall_s = 0;
  double cpu_s = 0;
};

struct variant {
  std::string name;
  std::function<void()> run;
  std::function<void()> after = {};  // follows each run, unmeasured
  std::vector<sample> samples = {};
};

// Processor time of this process.
double cpu_seconds();
// Adds the CPU time that another process used for the current variant.
void count_cpu_elsewhere(double seconds);

// Runs every variant once unmeasured, then `rounds` times in turn. Shows its progress on standard
// error if that is a terminal, labelled with `what`.
void interleave(std::vector<variant>& variants, int rounds, const std::string& what);

struct spread {
  double low = 0;  // first quartile
  double median = 0;
  double high = 0;  // third quartile
};
spread spread_of(std::vector<double> values);
// The value below which this share of them lies, such as 0.99; there is at least one.
double percentile(std::vector<double> values, double share);

enum class clock { wall, cpu };
spread time_of(const variant& measured, clock which);
// The variant's time divided by the reference's, for each round.
std::vector<double> ratios(const variant& measured, const variant& reference, clock which);
spread ratio(const variant& measured, const variant& reference, clock which);
// The same for two lists with one number for each round.
spread ratio(const std::vector<double>& measured, const std::vector<double>& reference);

// Calls body(thread, index) for each index, on this many threads including the caller. A shared
// counter hands out the indices.
template <class Body>
void on_threads(unsigned threads, std::size_t count, Body body) {
  std::atomic<std::size_t> next{0};
  const auto work = [&](unsigned thread) {
    for (std::size_t i = next++; i < count; i = next++) body(thread, i);
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back(work, i);
  work(0);
  for (std::thread& other : others) other.join();
}

// Prints results as they come, and writes them as JSON on request.
class results {
 public:
  explicit results(std::string bench_name);

  void metric(const std::string& name, double value);
  // Met if value <= goal or, without `at_most`, if value >= goal. Printed with its spread.
  void goal(const std::string& name, const spread& value, double goal, bool at_most = true);
  // Writes JSON to the file unless the path is empty. Returns the exit code.
  int finish(const std::string& json_path) const;

 private:
  struct metric_row {
    std::string name;
    double value;
  };
  struct goal_row {
    std::string name;
    spread value;
    double goal;
    bool at_most;
    [[nodiscard]] bool met() const { return at_most ? value.median <= goal : value.median >= goal; }
  };
  std::string name_;
  std::vector<metric_row> metrics_;
  std::vector<goal_row> goals_;
};

}  // namespace bench
