// SPDX-License-Identifier: Zlib
#include "report/repeats.hpp"

#include <algorithm>
#include <cmath>

namespace overture::cli {

spread spread_of(const std::vector<double>& seconds) {
  if (seconds.empty()) return {};
  std::vector<std::uint64_t> ns;
  ns.reserve(seconds.size());
  for (const double each : seconds) {
    ns.push_back(static_cast<std::uint64_t>(std::llround(each * 1e9)));
  }
  std::sort(ns.begin(), ns.end());
  return {.median_ns = ns[(ns.size() - 1) / 2], .least_ns = ns.front(), .most_ns = ns.back()};
}

std::size_t median_of(const std::vector<report>& loads) {
  std::vector<std::size_t> order(loads.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(loads[a].summary.ns, a) < std::pair(loads[b].summary.ns, b);
  });
  return order[(order.size() - 1) / 2];
}

}  // namespace overture::cli
