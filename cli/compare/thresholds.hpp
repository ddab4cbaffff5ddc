// SPDX-License-Identifier: Zlib
//
// --max: how much a load may take before the command fails, for a build that tests itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/load_samples.hpp"
#include "terminal/command_line.hpp"

namespace overture::cli {

enum class threshold_unit : unsigned char { seconds, percent, bytes };

struct threshold {
  std::string what = {};  // "total", "waiting", "peak", ...: names_of_thresholds()
  double most = 0;        // seconds, a fraction, or bytes
  threshold_unit unit = threshold_unit::seconds;
};

// "total, mount, processor, read, ...", for the help.
[[nodiscard]] std::string names_of_thresholds();
// From "total=2s", "mount=300ms", "waiting=10%" or "peak=300MiB". What is wrong with the word comes
// out in `mistake`.
[[nodiscard]] std::optional<threshold> parse_threshold(std::string_view word, std::string& mistake);

// --max NAME=LIMIT, repeatable.
void add_max(command_line& line, std::vector<threshold>& into);

// A sentence for each threshold that the median of the loads exceeds.
[[nodiscard]] std::vector<std::string> exceeded(const std::vector<threshold>& thresholds,
                                                const load_samples& samples);

}  // namespace overture::cli
