// SPDX-License-Identifier: Zlib
//
// Events of some kind, counted by what they name and by where they were called.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "watch/model/load_view.hpp"

namespace overture::watch {

struct name_sums {
  std::map<std::uint32_t, std::uint64_t> by_name;
  std::map<std::uint32_t, std::uint64_t> ns_by_name;
  std::map<std::uint64_t, std::uint64_t> callers;
  std::uint64_t count = 0;
  std::uint64_t longest_ns = 0;  // of a thread
};

// `weight`: how much an event counts for its name; 0 if it is not wanted. `threads`: which of the
// threads are looked at, or all of them.
template <class Weight>
name_sums sums_of(const load_view& view, Weight weight, const std::vector<bool>& threads = {}) {
  name_sums sums;
  for (std::size_t i = 0; i < view.process.threads.size(); ++i) {
    if (!threads.empty() && !threads[i]) continue;
    std::uint64_t ns = 0;
    for (const watched_event& each : view.process.threads[i].events) {
      const std::uint64_t counts = each.begin_ns < view.end_ns() ? weight(each) : 0;
      if (counts == 0) continue;
      sums.by_name[each.id] += counts;
      sums.ns_by_name[each.id] += each.took_ns;
      sums.callers[each.place()] += each.took_ns;
      sums.count += counts;
      ns += each.took_ns;
    }
    sums.longest_ns = std::max(sums.longest_ns, ns);
  }
  return sums;
}

}  // namespace overture::watch
