// SPDX-License-Identifier: Zlib
#include "sync_parts.hpp"

#include <fmt/format.h>

#include "plot.hpp"

namespace bench {

void print_table(const std::string& title, const std::vector<row>& rows,
                 const std::vector<unsigned>& columns, const char* column_name) {
  fmt::print("\n{}\n{:>24}", title, column_name);
  for (const unsigned column : columns) fmt::print("{:>11}", column);
  fmt::print("\n");
  for (const row& each : rows) {
    fmt::print("{:>24}", each.name);
    for (const unsigned column : columns) {
      if (each.at(column) > 0) {
        fmt::print("{:>11.4g}", each.at(column));
      } else {
        fmt::print("{:>11}", "-");
      }
    }
    fmt::print("\n");
  }
}

void write_plot(const settings& set, const std::string& file, const std::string& title,
                const std::string& x, const std::string& y, const std::vector<row>& rows,
                bool log_x) {
  if (set.plots.empty()) return;
  plot drawn{.title = title, .x_label = x, .y_label = y, .lines = {}, .log_x = log_x};
  for (const row& each : rows) {
    plot_line line{each.name, {}};
    for (const auto& [key, value] : each.cells) line.points.emplace_back(key, value);
    drawn.lines.push_back(line);
  }
  write_svg(drawn, set.plots + "/" + file);
}

spread ratio_each(const variant& measured, double measured_count, const variant& reference,
                  double reference_count) {
  const spread whole = ratio(measured, reference, clock::wall);
  const double scale = reference_count / measured_count;
  return {whole.low * scale, whole.median * scale, whole.high * scale};
}

double median_ms(const variant& measured) {
  return time_of(measured, clock::wall).median * 1e3;
}

}  // namespace bench
