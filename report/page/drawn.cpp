// SPDX-License-Identifier: Zlib
#include "report/page/drawn.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>
#include <utility>

namespace overture::report_detail {

namespace {

constexpr std::uint64_t finest_ns = 256;
constexpr std::uint32_t nobody = UINT32_MAX;

// Goes through a lane once, and hands on what is drawn of it.
template <class Emit>
class summing {
 public:
  summing(const timeline_picture& picture, std::uint64_t resolution_ns, Emit emit)
      : resolution_ns_(resolution_ns), emit_(emit), sum_of_name_(picture.names.size(), nobody) {}

  void add(const std::vector<picture_span>& spans) {
    for (std::size_t i = 0; i < spans.size();) {
      const picture_span& span = spans[i];
      if (leave(span.begin_ns)) flush();
      if (span.end_ns - span.begin_ns >= resolution_ns_) {
        flush();
        emit_(drawn_span{span, 1});
        open_.push_back(span.end_ns);
        ++i;
        continue;
      }
      const std::uint64_t stretch = span.begin_ns / resolution_ns_;
      if (stretch != stretch_) flush();
      stretch_ = stretch;
      i = sum(spans, i);
    }
    flush();
    open_.clear();
  }

 private:
  // Ends the long spans that are over by now.
  bool leave(std::uint64_t now) {
    const std::size_t before = open_.size();
    while (!open_.empty() && open_.back() <= now) open_.pop_back();
    return open_.size() != before;
  }

  // Adds a short span and all inside it. Returns the one after them.
  std::size_t sum(const std::vector<picture_span>& spans, std::size_t i) {
    const picture_span& outer = spans[i];
    if (sums_.empty()) begin_ns_ = outer.begin_ns;
    add(outer);
    inside_.assign(1, i);
    for (++i; i < spans.size() && spans[i].begin_ns < outer.end_ns; ++i) {
      while (spans[inside_.back()].end_ns <= spans[i].begin_ns) inside_.pop_back();
      sum_of(spans[inside_.back()].name).end_ns -= spans[i].end_ns - spans[i].begin_ns;
      add(spans[i]);
      inside_.push_back(i);
    }
    return i;
  }

  // From 0, as long as all of that name.
  drawn_span& sum_of(std::uint32_t name) {
    if (sum_of_name_[name] == nobody) {
      sum_of_name_[name] = static_cast<std::uint32_t>(sums_.size());
      sums_.push_back({{0, 0, name, no_subject}, 0});
    }
    return sums_[sum_of_name_[name]];
  }

  void add(const picture_span& span) {
    drawn_span& into = sum_of(span.name);
    if (into.count == 0) into.file = span.file;
    if (into.file != span.file) into.file = no_subject;
    into.end_ns += span.end_ns - span.begin_ns;
    ++into.count;
  }

  void flush() {
    std::uint64_t at = begin_ns_;
    for (drawn_span& each : sums_) {
      sum_of_name_[each.name] = nobody;
      if (each.end_ns == 0 && sums_.size() > 1) continue;
      each.begin_ns = at;
      each.end_ns += at;
      at = each.end_ns;
      emit_(each);
    }
    sums_.clear();
  }

  std::uint64_t resolution_ns_;
  Emit emit_;
  std::vector<std::uint64_t> open_;  // where the long spans around here end
  std::vector<std::size_t> inside_;  // the short spans around here
  std::vector<drawn_span> sums_;     // of this stretch
  std::vector<std::uint32_t> sum_of_name_;
  std::uint64_t begin_ns_ = 0;
  std::uint64_t stretch_ = 0;
};

std::size_t drawn_at(const timeline_picture& picture, std::uint64_t resolution_ns) {
  std::size_t count = 0;
  summing into(picture, resolution_ns, [&](const drawn_span&) { ++count; });
  for (const picture_lane& lane : picture.lanes) into.add(lane.spans);
  return count;
}

// How many spans last at least 2^i ns.
std::array<std::size_t, 65> by_length(const timeline_picture& picture) {
  std::array<std::size_t, 65> at_least{};
  for (const picture_lane& lane : picture.lanes) {
    for (const picture_span& span : lane.spans) {
      const std::uint64_t ns = span.end_ns - span.begin_ns;
      ++at_least[ns == 0 ? 0 : static_cast<std::size_t>(std::bit_width(ns)) - 1];
    }
  }
  for (std::size_t i = at_least.size() - 1; i-- > 0;) at_least[i] += at_least[i + 1];
  return at_least;
}

// The finest resolution that fits, of powers of two; none coarser than the whole.
std::uint64_t resolution_for(const timeline_picture& picture, std::size_t spans_max) {
  const std::array<std::size_t, 65> at_least = by_length(picture);
  std::uint64_t resolution = finest_ns;
  for (; resolution < picture.total_ns; resolution *= 2) {
    const auto power = static_cast<std::size_t>(std::bit_width(resolution)) - 1;
    if (at_least[power] <= spans_max && drawn_at(picture, resolution) <= spans_max) break;
  }
  return resolution;
}

void draw_spans(const timeline_picture& picture, std::size_t spans_max, drawn_timeline& made) {
  for (const picture_lane& lane : picture.lanes) made.spans += lane.spans.size();
  made.lanes.resize(picture.lanes.size());
  if (made.spans > spans_max) made.resolution_ns = resolution_for(picture, spans_max);
  for (std::size_t i = 0; i < picture.lanes.size(); ++i) {
    std::vector<drawn_span>& lane = made.lanes[i];
    if (made.resolution_ns == 0) {
      for (const picture_span& span : picture.lanes[i].spans) lane.push_back({span, 1});
      continue;
    }
    summing into(picture, made.resolution_ns,
                 [&](const drawn_span& span) { lane.push_back(span); });
    into.add(picture.lanes[i].spans);
  }
}

// Sums reads that were queued within one stretch, of the disk and of the page cache apart.
class read_sums {
 public:
  explicit read_sums(std::uint64_t stretch_ns) : stretch_ns_(stretch_ns) {}

  std::vector<drawn_read> of(const std::vector<picture_read>& reads) {
    for (const picture_read& read : reads) {
      if (read.begin_ns / stretch_ns_ != stretch_) flush();
      stretch_ = read.begin_ns / stretch_ns_;
      if (read.end_ns - read.begin_ns >= stretch_ns_) {
        made_.push_back({read, 1});
      } else {
        add(read);
      }
    }
    flush();
    std::sort(made_.begin(), made_.end(), [](const drawn_read& a, const drawn_read& b) {
      return std::tie(a.begin_ns, a.served_ns, a.end_ns, a.file, a.count) <
             std::tie(b.begin_ns, b.served_ns, b.end_ns, b.file, b.count);
    });
    return std::move(made_);
  }

 private:
  struct sum {
    drawn_read read{{}, 0};
    std::uint64_t queued_ns = 0;
    std::uint64_t served_ns = 0;
  };

  void add(const picture_read& read) {
    sum& into = sums_[read.is_cached ? 1 : 0];
    const std::uint64_t bytes = into.read.bytes;
    if (into.read.count == 0) into.read = {read, 0};
    into.read.bytes = bytes + read.bytes;
    into.queued_ns += read.served_ns - read.begin_ns;
    into.served_ns += read.end_ns - read.served_ns;
    ++into.read.count;
  }

  void flush() {
    for (sum& each : sums_) {
      drawn_read& read = each.read;
      if (read.count > 1) {
        read.file = no_subject;
        read.block_wait_ns = read.unpack_ns = 0;
        read.served_ns = read.begin_ns + each.queued_ns / read.count;
        read.end_ns = read.served_ns + each.served_ns / read.count;
      }
      if (read.count > 0) made_.push_back(read);
      each = {};
    }
  }

  std::uint64_t stretch_ns_;
  std::uint64_t stretch_ = 0;
  std::array<sum, 2> sums_{};
  std::vector<drawn_read> made_;
};

void draw_reads(const timeline_picture& picture, std::size_t reads_max, drawn_timeline& made) {
  if (picture.reads.size() <= reads_max) {
    for (const picture_read& read : picture.reads) made.reads.push_back({read, 1});
    return;
  }
  for (std::uint64_t stretch = finest_ns;; stretch *= 2) {
    made.reads = read_sums(stretch).of(picture.reads);
    if (made.reads.size() <= reads_max || stretch >= picture.total_ns) return;
  }
}

// Of each stretch the largest value, where it stood.
picture_counter thinned(const picture_counter& counter, std::uint64_t total_ns, std::size_t most) {
  if (counter.values.size() <= most) return counter;
  picture_counter made{counter.name, {}};
  const std::uint64_t stretch_ns = total_ns / (most / 2) + 1;
  std::uint64_t stretch = UINT64_MAX;
  for (std::size_t i = 0; i < counter.values.size(); ++i) {
    const counter_value& each = counter.values[i];
    if (each.at_ns / stretch_ns != stretch) {
      // What it had at last counts until the next.
      if (i > 0 && made.values.back().at_ns != counter.values[i - 1].at_ns) {
        made.values.push_back(counter.values[i - 1]);
      }
      stretch = each.at_ns / stretch_ns;
      made.values.push_back(each);
    } else if (each.value > made.values.back().value) {
      made.values.back() = each;
    }
  }
  if (made.values.back().at_ns != counter.values.back().at_ns) {
    made.values.push_back(counter.values.back());
  }
  return made;
}

std::vector<picture_delay> longest(const std::vector<picture_delay>& delays, std::size_t most) {
  std::vector<picture_delay> made = delays;
  if (made.size() <= most) return made;
  const auto at = made.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(made.begin(), at, made.end(), [](const auto& a, const auto& b) {
    return a.end_ns - a.begin_ns > b.end_ns - b.begin_ns;
  });
  made.resize(most);
  std::sort(made.begin(), made.end(), [](const auto& a, const auto& b) {
    return std::tie(a.begin_ns, a.end_ns, a.file) < std::tie(b.begin_ns, b.end_ns, b.file);
  });
  return made;
}

// Who ended a wait shows when the wait is clicked, and who woke work when that is.
std::vector<picture_wake> shown_wakes(const timeline_picture& picture, const drawn_timeline& made) {
  if (made.resolution_ns == 0) return picture.wakes;
  std::vector<std::vector<std::uint64_t>> times(made.lanes.size());
  for (std::size_t i = 0; i < made.lanes.size(); ++i) {
    for (const drawn_span& span : made.lanes[i]) {
      if (span.count != 1) continue;
      times[i].push_back(picture.names[span.name].is_wait ? span.end_ns : span.begin_ns);
    }
    std::sort(times[i].begin(), times[i].end());
  }
  std::vector<picture_wake> shown;
  std::copy_if(picture.wakes.begin(), picture.wakes.end(), std::back_inserter(shown),
               [&](const picture_wake& wake) {
                 const std::vector<std::uint64_t>& of = times[wake.to_lane];
                 return std::binary_search(of.begin(), of.end(), wake.to_ns);
               });
  return shown;
}

// Short steps are drawn with the one before them.
std::vector<path_step> shown_path(const timeline_picture& picture, std::uint64_t resolution_ns) {
  std::vector<path_step> shown;
  for (const path_step& step : picture.critical) {
    const bool is_short = !shown.empty() && step.end_ns - step.begin_ns < resolution_ns &&
                          step.end_ns - shown.back().begin_ns < resolution_ns;
    if (is_short) {
      shown.back().end_ns = step.end_ns;
    } else {
      shown.push_back(step);
    }
  }
  return shown;
}

}  // namespace

drawn_timeline drawn_of(const timeline_picture& picture, const drawn_limits& limits) {
  drawn_timeline made;
  draw_spans(picture, limits.spans, made);
  draw_reads(picture, limits.reads, made);
  for (const picture_counter& each : picture.counters) {
    made.counters.push_back(thinned(each, picture.total_ns, limits.counter_values));
  }
  made.delays = longest(picture.delays, limits.delays);
  made.wakes = shown_wakes(picture, made);
  made.critical = shown_path(picture, made.resolution_ns);
  return made;
}

}  // namespace overture::report_detail
