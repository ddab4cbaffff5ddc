// SPDX-License-Identifier: Zlib
#include "watch/model/load_span.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace overture::watch {

bool opens_content(const watched_process& process, const watched_event& event) {
  if (event.kind != event_kind::open || event.failed()) return false;
  if (!reads_content(event.value)) return false;
  return is_content_path(process.name(event.id));
}

bool is_content_path(std::string_view path) {
  return !path.empty() && !path.starts_with("/dev/") && !path.starts_with("/proc/") &&
         !path.starts_with("/sys/");
}

load_span span_of(const watched_process& process) {
  load_span made;
  std::map<std::uint32_t, std::uint64_t> first_opens;
  std::vector<std::uint64_t> frames;
  for (const watched_thread& thread : process.threads) {
    for (const watched_event& each : thread.events) {
      if (each.kind == event_kind::frame) frames.push_back(each.end_ns);
      if (!opens_content(process, each)) continue;
      const auto [at, is_new] = first_opens.emplace(each.id, each.begin_ns);
      if (!is_new) at->second = std::min(at->second, each.begin_ns);
    }
  }
  std::sort(frames.begin(), frames.end());
  made.frames = frames.size();
  if (!frames.empty()) made.first_frame_ns = frames.front();
  made.end_ns = process.end_ns;
  std::vector<std::uint64_t> opens;
  opens.reserve(first_opens.size());
  for (const auto& [name, at] : first_opens) opens.push_back(at);
  std::sort(opens.begin(), opens.end());
  for (std::size_t i = 0; i < opens.size(); ++i) {
    const std::uint64_t next = i + 1 < opens.size() ? opens[i + 1] : process.end_ns;
    if (next < opens[i] + quiet_ns) continue;
    const auto frame = std::lower_bound(frames.begin(), frames.end(), opens[i]);
    const bool has_menu = frame != frames.end() && *frame <= next;
    // A program that shows frames, but none here, is busy with something else.
    if (!has_menu && !frames.empty() && i + 1 < opens.size()) continue;
    made.how = has_menu ? load_end::menu : load_end::quiet;
    made.end_ns = has_menu ? *frame : opens[i];
    break;
  }
  return made;
}

}  // namespace overture::watch
