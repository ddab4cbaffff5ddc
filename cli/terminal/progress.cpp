// SPDX-License-Identifier: Zlib
#include "terminal/progress.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "terminal/display.hpp"
#include "terminal/units.hpp"

namespace overture::cli {

namespace {

constexpr double smoothing_seconds = 2;  // time constant of the displayed rates
constexpr std::size_t bar_columns_min = 10;
constexpr std::size_t bar_columns_max = 40;

std::string clock(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::ceil(seconds));
  if (whole >= 3600) {
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  }
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

bool progress_meter::due(std::uint64_t elapsed_ns) const {
  return sampled_ns_ ? elapsed_ns >= *sampled_ns_ + paint_interval_ns
                     : elapsed_ns >= first_paint_ns;
}

progress_view progress_meter::update(const load_progress& progress, std::uint64_t elapsed_ns) {
  const std::uint64_t files = std::max(view_.files_done, progress.files_done);
  const std::uint64_t bytes = std::max(view_.bytes_done, progress.bytes_done);
  const double fraction = std::clamp(progress.fraction, view_.fraction, 1.0);
  const std::uint64_t before = sampled_ns_.value_or(0);
  if (elapsed_ns > before) {
    const double seconds = static_cast<double>(elapsed_ns - before) / 1e9;
    const double fraction_rate = (fraction - view_.fraction) / seconds;
    const double bytes_rate = static_cast<double>(bytes - view_.bytes_done) / seconds;
    const double weight = sampled_ns_ ? 1 - std::exp(-seconds / smoothing_seconds) : 1;
    fraction_per_second_ += weight * (fraction_rate - fraction_per_second_);
    view_.bytes_per_second += weight * (bytes_rate - view_.bytes_per_second);
    sampled_ns_ = elapsed_ns;
  }
  view_.fraction = fraction;
  view_.files_done = files;
  view_.files_total = std::max(view_.files_total, progress.files_total);
  view_.bytes_done = bytes;
  view_.seconds_left.reset();
  if (fraction_per_second_ > 1e-6) {
    view_.seconds_left = (1 - fraction) / fraction_per_second_;
  }
  return view_;
}

std::string bar(double fraction, std::size_t columns, bool unicode) {
  constexpr std::array<const char*, 8> eighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  fraction = std::clamp(fraction, 0.0, 1.0);
  if (!unicode) {
    const auto full = static_cast<std::size_t>(fraction * static_cast<double>(columns));
    return std::string(full, '#') + std::string(columns - full, '.');
  }
  const auto total = static_cast<std::size_t>(fraction * static_cast<double>(columns * 8));
  std::string drawn;
  for (std::size_t i = 0; i < total / 8; ++i) drawn += "█";
  std::size_t used = total / 8;
  if (total % 8 != 0) {
    drawn += eighths[total % 8];
    ++used;
  }
  for (; used < columns; ++used) drawn += "░";
  return drawn;
}

std::string render(const progress_view& view, const text_style& style) {
  const std::size_t room = style.width > 0 ? style.width - 1 : 79;
  // Rounds down: 100 % only at the end.
  const auto percent = static_cast<unsigned>(view.fraction * 100);
  std::string line = fmt::format("{:3} %", percent);

  // Most important first. Widths are fixed so that nothing jumps.
  const std::string total = grouped(view.files_total);
  const std::array<std::string, 4> parts = {
      fmt::format("  {:>{}}/{} files", grouped(view.files_done), total.size(), total),
      view.seconds_left ? fmt::format("  {:>5} left", clock(*view.seconds_left))
                        : std::string("             ").substr(0, 12),
      fmt::format("  {:>8}", human_bytes(static_cast<double>(view.bytes_done))),
      fmt::format("  {:>10}", human_rate(view.bytes_per_second)),
  };
  std::array<bool, parts.size()> shown{};
  std::size_t used = line.size() + 1 + bar_columns_min;
  for (std::size_t i = 0; i < parts.size() && used + parts[i].size() <= room; ++i) {
    shown[i] = true;
    used += parts[i].size();
  }
  constexpr std::array<std::size_t, parts.size()> order = {0, 2, 3, 1};
  for (const std::size_t i : order) {
    if (shown[i]) line += parts[i];
  }
  if (room < line.size() + 1 + bar_columns_min) return line.substr(0, room);
  const std::size_t columns = std::min(room - line.size() - 1, bar_columns_max);
  return bar(view.fraction, columns, style.unicode) + ' ' + line;
}

}  // namespace overture::cli
