// SPDX-License-Identifier: Zlib
#include "report/page/picture_builder.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "overture/load/load_scope.hpp"
#include "overture/sync/wait_observer.hpp"

namespace overture::report_detail {

namespace {

// How long a parked worker took to wake: for those who tune the job system.
constexpr std::string_view hidden_counter = "wake_ns";
// More is not of a load, and a page has two bytes for each.
constexpr std::size_t names_max = 4096;
constexpr const char* other_name = "other";

lane_kind kind_of(std::string_view thread) {
  if (thread == main_name) return lane_kind::main;
  return thread.starts_with(worker_name) ? lane_kind::worker : lane_kind::background;
}

// Orders spans by begin, and cuts what outlasts the span that it began in.
void nest(std::vector<picture_span>& spans) {
  std::vector<std::pair<picture_span, std::size_t>> ordered;
  ordered.reserve(spans.size());
  for (const picture_span& each : spans) ordered.emplace_back(each, ordered.size());
  // Recorded later means that it ended later: of two that begin at once it is the outer one.
  std::sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
    if (a.first.begin_ns != b.first.begin_ns) return a.first.begin_ns < b.first.begin_ns;
    return a.first.end_ns != b.first.end_ns ? a.first.end_ns > b.first.end_ns : a.second > b.second;
  });
  for (std::size_t i = 0; i < spans.size(); ++i) spans[i] = ordered[i].first;
  std::vector<std::uint64_t> open;
  for (picture_span& span : spans) {
    while (!open.empty() && open.back() <= span.begin_ns) open.pop_back();
    if (!open.empty()) span.end_ns = std::min(span.end_ns, open.back());
    open.push_back(span.end_ns);
  }
}

}  // namespace

std::uint32_t picture_builder::number_of(std::string_view name, bool is_wait) {
  std::map<std::string, std::uint32_t, std::less<>>& numbers = numbers_[is_wait ? 1 : 0];
  const auto found = numbers.find(name);
  if (found != numbers.end()) return found->second;
  if (made_.names.size() >= names_max && name != other_name) return number_of(other_name, is_wait);
  const auto number = static_cast<std::uint32_t>(made_.names.size());
  numbers.emplace(name, number);
  made_.names.push_back({std::string(name), is_wait});
  return number;
}

picture_read& picture_builder::add_read(const picture_read& read) {
  made_.reads.push_back(read);
  return made_.reads.back();
}

void picture_builder::add_value(std::string_view counter, counter_value value) {
  if (counter == hidden_counter) return;
  auto found = std::find_if(made_.counters.begin(), made_.counters.end(),
                            [&](const picture_counter& each) { return each.name == counter; });
  if (found == made_.counters.end()) {
    if (made_.counters.size() >= names_max) return;
    made_.counters.push_back({std::string(counter), {}});
    found = made_.counters.end() - 1;
  }
  found->values.push_back(value);
}

void picture_builder::add_lane(picture_lane lane, std::uint32_t track) {
  lane.kind = kind_of(lane.name);
  nest(lane.spans);
  // What only reads is seen in its reads. A thread of the read queue may also unpack solid blocks,
  // or wait for them.
  const auto is_of_block = [&](const picture_span& span) {
    const picture_name& name = made_.names[span.name];
    return name.name == (name.is_wait ? wait_reasons::solid_block : to_string(load_stage::unpack));
  };
  if (!lane.name.starts_with(io_name) || std::ranges::any_of(lane.spans, is_of_block)) {
    made_.lanes.push_back(std::move(lane));
    tracks_.push_back(track);
  } else {
    made_.events_lost_in_reads += lane.events_lost;
  }
}

timeline_picture picture_builder::finish(std::uint64_t total_ns, std::uint64_t load_begin_ns) {
  made_.total_ns = total_ns;
  made_.load_begin_ns = std::min(load_begin_ns, total_ns);
  end_with_load();
  order();
  return std::move(made_);
}

void picture_builder::end_with_load() {
  const auto cut = [this](std::uint64_t& ns) { ns = std::min(ns, made_.total_ns); };
  for (picture_lane& lane : made_.lanes) {
    for (picture_span& span : lane.spans) {
      cut(span.begin_ns);
      cut(span.end_ns);
    }
  }
  for (picture_read& read : made_.reads) {
    cut(read.begin_ns);
    cut(read.end_ns);
    read.served_ns = std::clamp(read.served_ns, read.begin_ns, read.end_ns);
    read.unpack_ns = std::min(read.unpack_ns, read.end_ns - read.served_ns);
    read.block_wait_ns =
        std::min(read.block_wait_ns, read.end_ns - read.unpack_ns - read.served_ns);
  }
  for (picture_delay& delay : made_.delays) {
    cut(delay.begin_ns);
    cut(delay.end_ns);
  }
  for (picture_counter& counter : made_.counters) {
    for (counter_value& each : counter.values) cut(each.at_ns);
  }
}

void picture_builder::order() {
  const std::map<std::uint32_t, std::uint32_t> lane_of_track = order_lanes();
  place_wakes(lane_of_track, order_reads());
  std::sort(made_.delays.begin(), made_.delays.end(), [](const auto& a, const auto& b) {
    return std::tie(a.begin_ns, a.end_ns, a.file) < std::tie(b.begin_ns, b.end_ns, b.file);
  });
  std::sort(made_.counters.begin(), made_.counters.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  for (picture_counter& counter : made_.counters) {
    std::sort(counter.values.begin(), counter.values.end(), [](const auto& a, const auto& b) {
      return std::tie(a.at_ns, a.value) < std::tie(b.at_ns, b.value);
    });
  }
  order_names();
}

namespace {

// Sorts and returns the new number of each old one.
template <class Item, class Key>
std::vector<std::uint32_t> sort_by(std::vector<Item>& items, Key key) {
  std::vector<std::uint32_t> order(items.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple_cat(key(items[a]), std::tuple(a)) <
           std::tuple_cat(key(items[b]), std::tuple(b));
  });
  std::vector<Item> sorted;
  sorted.reserve(items.size());
  std::vector<std::uint32_t> number_of_old(items.size());
  for (const std::uint32_t old : order) {
    number_of_old[old] = static_cast<std::uint32_t>(sorted.size());
    sorted.push_back(std::move(items[old]));
  }
  items = std::move(sorted);
  return number_of_old;
}

}  // namespace

std::map<std::uint32_t, std::uint32_t> picture_builder::order_lanes() {
  const std::vector<std::uint32_t> number_of_old = sort_by(
      made_.lanes,
      [](const picture_lane& lane) { return std::tuple(lane.kind, lane.name.size(), lane.name); });
  std::map<std::uint32_t, std::uint32_t> lane_of_track;
  for (std::size_t i = 0; i < tracks_.size(); ++i) lane_of_track[tracks_[i]] = number_of_old[i];
  return lane_of_track;
}

std::vector<std::uint32_t> picture_builder::order_reads() {
  return sort_by(made_.reads, [](const picture_read& read) {
    return std::tuple(read.begin_ns, read.served_ns, read.end_ns, read.file, read.bytes);
  });
}

void picture_builder::place_wakes(const std::map<std::uint32_t, std::uint32_t>& lane_of_track,
                                  const std::vector<std::uint32_t>& read_of_old) {
  for (const wake& each : wakes_) {
    const auto to = lane_of_track.find(each.to_track);
    if (to == lane_of_track.end() || each.from_ns >= made_.total_ns) continue;
    picture_wake made{to->second, std::min(each.to_ns, made_.total_ns), picture_wake::by_read, 0,
                      each.from_ns};
    if (each.from_track == picture_wake::by_read) {
      made.from_read = read_of_old[each.from_read];
    } else {
      const auto from = lane_of_track.find(each.from_track);
      if (from == lane_of_track.end()) continue;
      made.from_lane = from->second;
    }
    made_.wakes.push_back(made);
  }
  std::sort(made_.wakes.begin(), made_.wakes.end(), [](const auto& a, const auto& b) {
    return std::tie(a.to_lane, a.to_ns, a.from_ns) < std::tie(b.to_lane, b.to_ns, b.from_ns);
  });
}

// In whatever order they came: a picture is the same whether it is made of a timeline or a file.
void picture_builder::order_names() {
  std::vector<picture_name> names;
  std::vector<std::uint32_t> number_of_old(made_.names.size());
  for (const auto& numbers : numbers_) {
    for (const auto& [name, old] : numbers) {
      number_of_old[old] = static_cast<std::uint32_t>(names.size());
      names.push_back(std::move(made_.names[old]));
    }
  }
  made_.names = std::move(names);
  for (picture_lane& lane : made_.lanes) {
    for (picture_span& span : lane.spans) span.name = number_of_old[span.name];
  }
  for (picture_delay& delay : made_.delays) {
    if (delay.name != picture_delay::for_room) delay.name = number_of_old[delay.name];
  }
}

}  // namespace overture::report_detail
