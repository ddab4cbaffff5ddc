// SPDX-License-Identifier: Zlib
#include "watch/model/wakes.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace overture::watch {

namespace {

struct release_point {
  std::uint64_t at_ns = 0;
  std::uint32_t thread = 0;
};
// In order of time, by address or by handle.
using release_points = std::map<std::uint64_t, std::vector<release_point>>;

void order(release_points& points) {
  for (auto& [address, list] : points) {
    std::sort(list.begin(), list.end(), [](const release_point& a, const release_point& b) {
      return std::tuple(a.at_ns, a.thread) < std::tuple(b.at_ns, b.thread);
    });
  }
}

// The last one in [begin, end] that another thread made; null if there is none.
const release_point* last_between(const release_points& points, std::uint64_t address,
                                  std::uint64_t begin_ns, std::uint64_t end_ns,
                                  std::uint32_t thread) {
  const auto found = points.find(address);
  if (found == points.end()) return nullptr;
  const std::vector<release_point>& list = found->second;
  auto at =
      std::upper_bound(list.begin(), list.end(), end_ns,
                       [](std::uint64_t ns, const release_point& of) { return ns < of.at_ns; });
  while (at != list.begin()) {
    --at;
    if (at->at_ns < begin_ns) return nullptr;
    if (at->thread != thread) return &*at;
  }
  return nullptr;
}

}  // namespace

std::vector<watched_wake> find_wakes(const std::vector<watched_thread>& threads) {
  release_points releases;
  release_points ends;
  for (std::uint32_t i = 0; i < threads.size(); ++i) {
    if (threads[i].has_ended) ends[threads[i].handle].push_back({threads[i].end_ns, i});
    for (const watched_event& each : threads[i].events) {
      if (each.kind == event_kind::release) releases[each.value].push_back({each.begin_ns, i});
    }
  }
  order(releases);
  order(ends);
  std::vector<watched_wake> wakes;
  for (std::uint32_t i = 0; i < threads.size(); ++i) {
    for (std::uint32_t j = 0; j < threads[i].events.size(); ++j) {
      const watched_event& each = threads[i].events[j];
      if (!is_wait(each.kind) || each.has(plain_event::timeout)) continue;
      const bool is_join = each.kind == event_kind::wait_join;
      // Descriptors and sleeps have no address.
      if (each.kind > event_kind::wait_join) continue;
      const release_point* const found =
          last_between(is_join ? ends : releases, each.value, each.begin_ns, each.end_ns, i);
      if (found) wakes.push_back({i, j, found->thread, found->at_ns});
    }
  }
  return wakes;
}

}  // namespace overture::watch
