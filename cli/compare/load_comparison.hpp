// SPDX-License-Identifier: Zlib
//
// What two sets of loads tell about each other.
#pragma once

#include <string>
#include <vector>

#include "compare/judgement.hpp"
#include "report/load_samples.hpp"
#include "report/report_model.hpp"

namespace overture::cli {

struct compared_measure {
  measure_kind kind = measure_kind::load;
  std::string name = {};
  judgement judged = {};
  std::vector<double> values_was = {};
  std::vector<double> values_now = {};

  [[nodiscard]] double difference() const { return judged.now - judged.was; }
};

struct load_comparison {
  std::string was = {};  // names: file names, or what was mounted
  std::string now = {};
  std::size_t loads_was = 0;
  std::size_t loads_now = 0;
  bool is_of_program = false;  // that was watched: runs, not loads
  pairing how = pairing::apart;
  double tolerance = 0;
  std::vector<std::string> differences = {};  // why the two may not be comparable
  compared_measure load = {};
  // The others that matter, by kind, largest difference first: those that take a hundredth of the
  // load's time, or whose difference does.
  std::vector<compared_measure> measures = {};

  [[nodiscard]] const char* one() const { return is_of_program ? "run" : "load"; }
  [[nodiscard]] const char* several() const { return is_of_program ? "runs" : "loads"; }
  [[nodiscard]] bool is_slower() const { return load.judged.verdict == change::more; }
};

// Both are of loads, or both of programs.
[[nodiscard]] load_comparison compare_loads(const load_samples& was, const load_samples& now,
                                            pairing how, double tolerance);

// The load itself and the others of a kind.
[[nodiscard]] std::vector<const compared_measure*> measures_of(const load_comparison& what,
                                                               measure_kind kind);

// "1.38 s instead of 1.23 s: 12 % slower (9 to 15 %), most of it in decode (+0.11 s)"
[[nodiscard]] std::string comparison_verdict(const load_comparison& what);

// The load, mounting and the stages, for a report with --baseline.
[[nodiscard]] report_baseline baseline_of(const load_samples& old, const load_samples& now,
                                          double tolerance);

}  // namespace overture::cli
