// SPDX-License-Identifier: Zlib
//
// Line plots as SVG files: a few named lines over a few numbers of threads, both axes logarithmic
// if asked.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bench {

struct plot_line {
  std::string name;
  std::vector<std::pair<double, double>> points;  // x, y > 0
};

struct plot {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<plot_line> lines;
  bool log_x = false;  // labels at the points' own places either way
  bool log_y = true;
};

// Throws if the file cannot be written.
void write_svg(const plot& drawn, const std::string& path);

}  // namespace bench
