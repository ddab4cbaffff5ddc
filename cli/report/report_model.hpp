// SPDX-License-Identifier: Zlib
//
// What the command reports of a load: what the library knows of it, and what it is compared with.
// report_text() and report_json() print it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/kept_assets.hpp"
#include "report/load_samples.hpp"
#include "report/model/report_model.hpp"

namespace overture::cli {

// Why a file that --exclude names is in report::skipped.
inline constexpr const char* excluded_reason = "left out by --exclude";

using namespace report_detail;

// How long something took in several loads.
struct spread {
  std::uint64_t median_ns = 0;
  std::uint64_t least_ns = 0;
  std::uint64_t most_ns = 0;
};

struct report_time {
  std::string name;  // load, mount, or a stage
  spread taken;
};

struct report_comparison {
  std::string name;
  spread was;
  spread now;
  bool slower = false;
};

// With --baseline.
struct report_baseline {
  std::string file;
  bool slower = false;                   // the load as a whole
  bool is_judged = true;                 // false: too few loads of one
  std::vector<std::string> differences;  // why the two may not be comparable
  std::vector<report_comparison> times;
};

struct report : load_report {
  std::optional<kept_total> kept;  // with --keep
  // With --repeat this is the load that took the median time, and these are of all.
  load_samples repeats;
  std::optional<report_baseline> baseline;
  std::vector<std::string> exceeded;  // a sentence for each --max
};

// The exit status for the files that failed.
[[nodiscard]] int status_of_files(const report& what);

}  // namespace overture::cli
