// SPDX-License-Identifier: Zlib
//
// How many processors a control group of Linux grants, from the texts of its files. Pure functions.
//
// Source: Documentation/admin-guide/cgroup-v2.rst ("cpu.max") and
// Documentation/scheduler/sched-bwc.rst (cfs_quota_us) of the kernel; cgroups(7) for
// /proc/self/cgroup.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace overture::base_detail {

// Time in each period, in processors, rounded up; 0 if there is no limit.
[[nodiscard]] constexpr unsigned processors_for(std::uint64_t quota,
                                                std::uint64_t period) noexcept {
  if (quota == 0 || period == 0) return 0;
  return static_cast<unsigned>(std::min<std::uint64_t>((quota - 1) / period + 1, 1u << 16));
}

// Takes a number from the front of the text; 0 if there is none.
[[nodiscard]] inline std::uint64_t take_number(std::string_view& text) noexcept {
  while (text.starts_with(' ')) text.remove_prefix(1);
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return failed == std::errc{} ? number : 0;
}

// Version 2's cpu.max, "150000 100000" or "max 100000". 0: no limit.
[[nodiscard]] inline unsigned processors_of_cpu_max(std::string_view text) noexcept {
  const std::uint64_t quota = take_number(text);
  return processors_for(quota, take_number(text));
}

// Version 1's cpu.cfs_quota_us, "-1" without a limit, and cpu.cfs_period_us. 0: no limit.
[[nodiscard]] inline unsigned processors_of_cfs(std::string_view quota,
                                                std::string_view period) noexcept {
  return processors_for(take_number(quota), take_number(period));
}

// The process's group in /proc/self/cgroup, whose lines are "4:cpu,cpuacct:/path", for version 2
// "0::/path". `controller` is "cpu", or "" for version 2. Empty if there is none.
[[nodiscard]] inline std::string_view group_of(std::string_view groups,
                                               std::string_view controller) noexcept {
  while (!groups.empty()) {
    const std::string_view line = groups.substr(0, groups.find('\n'));
    groups.remove_prefix(std::min(line.size() + 1, groups.size()));
    const std::size_t first = line.find(':');
    const std::size_t second = first == line.npos ? first : line.find(':', first + 1);
    if (second == line.npos) continue;
    std::string_view names = line.substr(first + 1, second - first - 1);
    if (names.empty() && controller.empty()) return line.substr(second + 1);
    while (!names.empty()) {
      const std::string_view name = names.substr(0, names.find(','));
      if (name == controller) return line.substr(second + 1);
      names.remove_prefix(std::min(name.size() + 1, names.size()));
    }
  }
  return {};
}

// What this process is granted; 0: no limit. A few system calls. Any thread.
[[nodiscard]] unsigned processors_granted() noexcept;

}  // namespace overture::base_detail
