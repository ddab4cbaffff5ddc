// SPDX-License-Identifier: Zlib
#include "report/repeats.hpp"

#include <algorithm>

namespace overture::cli {

namespace {

template <class Get>
report_time time_of(const char* name, const std::vector<report>& loads, Get get) {
  std::vector<std::uint64_t> ns;
  ns.reserve(loads.size());
  for (const report& load : loads) ns.push_back(get(load));
  return {name, spread_of(std::move(ns))};
}

}  // namespace

spread spread_of(std::vector<std::uint64_t> ns) {
  if (ns.empty()) return {};
  std::sort(ns.begin(), ns.end());
  return {.median_ns = ns[(ns.size() - 1) / 2], .least_ns = ns.front(), .most_ns = ns.back()};
}

std::vector<report_time> times_of(const std::vector<report>& loads) {
  std::vector<report_time> times;
  times.push_back(time_of("load", loads, [](const report& each) { return each.summary.ns; }));
  times.push_back(time_of("mount", loads, [](const report& each) { return each.mount_ns; }));
  for (std::size_t stage = 0; stage < load_stage_count; ++stage) {
    times.push_back(time_of(to_string(static_cast<load_stage>(stage)), loads,
                            [&](const report& each) { return each.summary.stages[stage].ns; }));
  }
  return times;
}

std::size_t median_of(const std::vector<report>& loads) {
  std::vector<std::uint64_t> ns;
  ns.reserve(loads.size());
  for (const report& load : loads) ns.push_back(load.summary.ns);
  const std::uint64_t median_ns = spread_of(ns).median_ns;
  return static_cast<std::size_t>(std::find(ns.begin(), ns.end(), median_ns) - ns.begin());
}

}  // namespace overture::cli
