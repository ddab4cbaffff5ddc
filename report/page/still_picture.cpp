// SPDX-License-Identifier: Zlib
#include "report/page/still_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "report/page/markup.hpp"
#include "report/page/page_data.hpp"
#include "report/words/units.hpp"

namespace overture::report_detail {

namespace {

constexpr std::size_t columns = 400;
constexpr std::size_t lanes_max = 24;
constexpr unsigned column_width = 2;
constexpr unsigned label_width = 90;
constexpr unsigned lane_height = 18;

// What a lane did most in each column; -1: nothing.
std::vector<int> main_work(const picture_lane& lane, const timeline_picture& picture,
                           std::uint64_t across_ns) {
  std::vector<int> most(columns, -1);
  std::vector<std::vector<double>> times(columns, std::vector<double>(picture.names.size()));
  const double column_ns =
      std::max(static_cast<double>(across_ns) / static_cast<double>(columns), 1.0);
  std::uint64_t end = 0;
  for (const picture_span& span : lane.spans) {
    if (span.begin_ns < end) continue;  // inside another
    end = span.end_ns;
    const auto from = static_cast<double>(span.begin_ns) / column_ns;
    const auto to = static_cast<double>(span.end_ns) / column_ns;
    for (auto i = static_cast<std::size_t>(from); i < columns && static_cast<double>(i) < to; ++i) {
      times[i][span.name] +=
          std::min(to, static_cast<double>(i + 1)) - std::max(from, static_cast<double>(i));
    }
  }
  constexpr double least = 0.2;  // of a column
  for (std::size_t i = 0; i < columns; ++i) {
    const auto largest = std::max_element(times[i].begin(), times[i].end());
    if (largest != times[i].end() && *largest >= least) {
      most[i] = static_cast<int>(largest - times[i].begin());
    }
  }
  return most;
}

}  // namespace

std::string still_picture(const timeline_picture& picture) {
  return still_picture(picture, picture.total_ns);
}

std::string still_picture(const timeline_picture& picture, std::uint64_t across_ns) {
  across_ns = std::max(across_ns, picture.total_ns);
  const std::size_t lanes = std::min(picture.lanes.size(), lanes_max);
  const unsigned width = label_width + column_width * static_cast<unsigned>(columns);
  const unsigned height = static_cast<unsigned>(lanes) * lane_height + 20;
  std::string text = fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Timeline of {}\" "
      "font-size=\"11\" font-family=\"system-ui, sans-serif\">",
      width, height, counted(lanes, "thread", "threads"));
  const auto to = std::back_inserter(text);
  for (std::size_t i = 0; i < lanes; ++i) {
    const picture_lane& lane = picture.lanes[i];
    const unsigned top = static_cast<unsigned>(i) * lane_height;
    fmt::format_to(to, "<text x=\"6\" y=\"{}\" fill=\"var(--dim)\">{}</text>", top + 13,
                   html_text(lane.name));
    const std::vector<int> work = main_work(lane, picture, across_ns);
    for (std::size_t begin = 0; begin < columns;) {
      std::size_t end = begin + 1;
      while (end < columns && work[end] == work[begin]) ++end;
      if (work[begin] >= 0) {
        const picture_name& name = picture.names[static_cast<std::size_t>(work[begin])];
        fmt::format_to(to,
                       "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"var(--{})\"/>",
                       label_width + begin * column_width, top + 3, (end - begin) * column_width,
                       lane_height - 4, colour_of(name));
      }
      begin = end;
    }
  }
  constexpr unsigned marks = 5;
  for (unsigned i = 0; i <= marks; ++i) {
    const unsigned x = label_width + i * column_width * static_cast<unsigned>(columns) / marks;
    fmt::format_to(to, "<text x=\"{}\" y=\"{}\" fill=\"var(--dim)\" text-anchor=\"{}\">{}</text>",
                   x, height - 5,
                   i == 0       ? "start"
                   : i == marks ? "end"
                                : "middle",
                   i == 0 ? "0" : human_time(across_ns * i / marks));
  }
  return text + "</svg>";
}

}  // namespace overture::report_detail
