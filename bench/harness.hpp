// What every benchmark shares: fair measuring, and one form for the results.
//
// Variants run in turn, round by round, so that a machine that changes its speed changes it for all
// of them; a ratio is the median of the rounds' ratios. CPU time is that of the whole process.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace bench {

struct sample {
  double wall_s = 0;
  double cpu_s = 0;
};

struct variant {
  std::string name;
  std::function<void()> run;
  std::vector<sample> samples = {};
};

// Runs every variant once unmeasured, then `rounds` times in turn.
void interleave(std::vector<variant>& variants, int rounds);

struct spread {
  double low = 0;  // first quartile
  double median = 0;
  double high = 0;  // third quartile
};
spread spread_of(std::vector<double> values);

enum class clock { wall, cpu };
spread time_of(const variant& measured, clock which);
// Of this variant's time to the reference's, round by round.
spread ratio(const variant& measured, const variant& reference, clock which);

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

// The processor and its count, for the records.
std::string machine();

}  // namespace bench
