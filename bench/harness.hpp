// What every benchmark shares: fair measuring, and one form for the results.
//
// Variants run in turn, round by round, so that a machine that changes its speed changes it for all
// of them; a ratio is the median of the rounds' ratios. CPU time is that of the whole process, and
// of others that worked for it.
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
// Adds what another process used for the variant that runs now.
void count_cpu_elsewhere(double seconds);

// Runs every variant once unmeasured, then `rounds` times in turn. Shows how far it is, and with
// `what`, on standard error if that is a terminal.
void interleave(std::vector<variant>& variants, int rounds, const std::string& what);

struct spread {
  double low = 0;  // first quartile
  double median = 0;
  double high = 0;  // third quartile
};
spread spread_of(std::vector<double> values);

enum class clock { wall, cpu };
spread time_of(const variant& measured, clock which);
// Of this variant's time to the reference's, round by round.
std::vector<double> ratios(const variant& measured, const variant& reference, clock which);
spread ratio(const variant& measured, const variant& reference, clock which);
// Of numbers of the same rounds.
spread ratio(const std::vector<double>& measured, const std::vector<double>& reference);

// Calls body(thread, index) for each index on so many threads, this one among them; a shared
// counter hands the indices out.
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

// Collects and prints results; writes the JSON form if asked.
class results {
 public:
  explicit results(std::string bench_name) : name_(std::move(bench_name)) {}

  void metric(const std::string& name, double value);
  // `at_most`: met if value <= goal, else if value >= goal. Printed with its spread.
  void goal(const std::string& name, const spread& value, double goal, bool at_most = true);
  // Prints to stdout; writes JSON to the file unless the path is empty. The process's exit code.
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

// The processor and its count, the system and the compiler, for the records.
std::string machine();

}  // namespace bench
