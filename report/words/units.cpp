// SPDX-License-Identifier: Zlib
#include "report/words/units.hpp"

#include <fmt/core.h>

#include <cmath>
#include <iterator>

namespace overture::report_detail {

namespace {

// Three significant digits: columns stay narrow, and nothing looks more precise than it is.
std::string three_digits(double value) {
  if (value < 9.995) return fmt::format("{:.2f}", value);
  if (value < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

}  // namespace

std::string grouped(std::uint64_t number) {
  std::string digits = fmt::format("{}", number);
  for (std::size_t i = digits.size(); i > 3;) {
    i -= 3;
    digits.insert(i, 1, ',');
  }
  return digits;
}

std::string human_bytes(double bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1023.5 && unit + 1 < std::size(units)) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes)
                   : fmt::format("{} {}", three_digits(bytes), units[unit]);
}

std::string human_rate(double bytes_per_second) {
  return human_bytes(bytes_per_second) + "/s";
}

std::string human_time(std::uint64_t ns) {
  const double ms = static_cast<double>(ns) / 1e6;
  if (ms < 999.5) return three_digits(ms) + " ms";
  const double seconds = ms / 1e3;
  if (seconds < 59.95) return three_digits(seconds) + " s";
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  return fmt::format("{}:{:02} min", whole / 60, whole % 60);
}

std::string human_percent(double fraction) {
  const double percent = fraction * 100;
  if (percent > 0 && percent < 0.5) return "<1 %";
  return fmt::format("{:.0f} %", percent);
}

std::string counted(std::uint64_t number, const char* singular, const char* plural) {
  return grouped(number) + ' ' + (number == 1 ? singular : plural);
}

}  // namespace overture::report_detail
