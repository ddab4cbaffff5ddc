// SPDX-License-Identifier: Zlib
#include "plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <stdexcept>

namespace bench {
namespace {

constexpr double width = 760;
constexpr double height = 440;
constexpr double left = 84;
constexpr double right = 250;  // the legend is there
constexpr double top = 48;
constexpr double bottom = 60;

// Distinct for colour-blind readers, and by their dashes in print.
constexpr std::array colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#555555"};
constexpr std::array dashes = {"", "6 3", "2 3", "8 3 2 3", "12 4", "1 4", "1 1"};

// From values to places between `begin` and `end`.
struct axis {
  double low = std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::lowest();
  double begin = 0;
  double end = 0;
  bool logarithmic = false;

  void cover(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void round_to_powers_of_ten() {
    low = std::pow(10, std::floor(std::log10(low)));
    high = std::pow(10, std::ceil(std::log10(high)));
    if (low == high) high *= 10;
  }
  [[nodiscard]] double place(double value) const {
    if (high == low) return (begin + end) / 2;
    const double share =
        logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    return begin + share * (end - begin);
  }
};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char each : text) {
    if (each == '&') {
      out += "&amp;";
    } else if (each == '<') {
      out += "&lt;";
    } else {
      out += each;
    }
  }
  return out;
}

std::string text_at(double x, double y, const std::string& text, const char* more) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, more, escaped(text));
}

std::vector<double> ticks_of(const axis& y) {
  std::vector<double> ticks;
  if (y.logarithmic) {
    for (double tick = y.low; tick <= y.high * 1.001; tick *= 10) ticks.push_back(tick);
    return ticks;
  }
  for (int i = 0; i <= 5; ++i) ticks.push_back(y.low + (y.high - y.low) * i / 5);
  return ticks;
}

}  // namespace

void write_svg(const plot& drawn, const std::string& path) {
  axis x{.begin = left, .end = width - right, .logarithmic = drawn.log_x};
  axis y{.begin = height - bottom, .end = top, .logarithmic = drawn.log_y};
  std::set<double> columns;
  for (const plot_line& line : drawn.lines) {
    for (const auto& [at, value] : line.points) {
      columns.insert(at);
      x.cover(at);
      y.cover(value);
    }
  }
  if (columns.empty()) throw std::runtime_error("nothing to plot");
  if (drawn.log_y) {
    y.round_to_powers_of_ten();
  } else {
    y.cover(0);
  }

  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
      "height=\"{1:g}\" font-family=\"sans-serif\" font-size=\"13\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height);
  out += text_at(left, 26, drawn.title, "font-size=\"16\" font-weight=\"bold\"");
  for (const double tick : ticks_of(y)) {
    const double at = y.place(tick);
    out += fmt::format("<path d=\"M{:g} {:.1f}H{:g}\" stroke=\"#dddddd\"/>\n", left, at,
                       width - right);
    out += text_at(left - 8, at + 4, fmt::format("{:g}", tick), "text-anchor=\"end\"");
  }
  for (const double column : columns) {
    const double at = x.place(column);
    out += fmt::format("<path d=\"M{:.1f} {:g}v5\" stroke=\"black\"/>\n", at, height - bottom);
    out += text_at(at, height - bottom + 20, fmt::format("{:g}", column), "text-anchor=\"middle\"");
  }
  out += fmt::format("<path d=\"M{0:g} {1:g}V{2:g}H{3:g}\" fill=\"none\" stroke=\"black\"/>\n",
                     left, top, height - bottom, width - right);
  out += text_at((left + width - right) / 2, height - 16, drawn.x_label, "text-anchor=\"middle\"");
  const double middle = (top + height - bottom) / 2;
  out += text_at(
      20, middle, drawn.y_label,
      fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 20 {:g})\"", middle).c_str());

  for (std::size_t i = 0; i < drawn.lines.size(); ++i) {
    const plot_line& line = drawn.lines[i];
    const std::string stroke =
        fmt::format("stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"{}\" fill=\"none\"",
                    colours[i % colours.size()], dashes[i % dashes.size()]);
    std::string shape;
    for (const auto& [at, value] : line.points) {
      shape +=
          fmt::format("{}{:.1f} {:.1f}", shape.empty() ? 'M' : 'L', x.place(at), y.place(value));
      out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x.place(at),
                         y.place(value), colours[i % colours.size()]);
    }
    out += fmt::format("<path d=\"{}\" {}/>\n", shape, stroke);
    const double row = top + 10 + 22 * static_cast<double>(i);
    const double legend = width - right + 18;
    out += fmt::format("<path d=\"M{:g} {:g}h32\" {}/>\n", legend, row, stroke);
    out += text_at(legend + 40, row + 4, line.name, "");
  }
  out += "</svg>\n";

  std::ofstream file(path);
  file << out;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

}  // namespace bench
