// SPDX-License-Identifier: Zlib
#include "watch/model/load_view.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "watch/model/ordering.hpp"

namespace overture::watch {

namespace {

// Places of a file that have been read.
class read_places {
 public:
  // How many of these bytes had been read before.
  std::uint64_t add(std::uint64_t begin, std::uint64_t end) {
    std::uint64_t again = 0;
    auto at = ranges_.upper_bound(begin);
    if (at != ranges_.begin() && std::prev(at)->second >= begin) --at;
    std::uint64_t whole_begin = begin;
    std::uint64_t whole_end = end;
    while (at != ranges_.end() && at->first <= end) {
      const std::uint64_t from = std::max(at->first, begin);
      const std::uint64_t to = std::min(at->second, end);
      if (to > from) again += to - from;
      whole_begin = std::min(whole_begin, at->first);
      whole_end = std::max(whole_end, at->second);
      at = ranges_.erase(at);
    }
    ranges_.emplace(whole_begin, whole_end);
    return again;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;  // without overlap
};

class file_sums {
 public:
  file_sums(std::uint64_t end_ns, std::size_t threads) : end_ns_(end_ns), last_again_(threads) {}

  void add(const watched_event& event, std::size_t thread) {
    if (event.kind == event_kind::allocate) return;
    const again_read before = std::exchange(last_again_[thread], {});
    if (event.id == 0 || event.begin_ns >= end_ns_) return;
    if (!is_file_access(event.kind)) return;
    file_use& use = uses_[event.id];
    use.name = event.id;
    use.first_ns = std::min(use.first_ns, event.begin_ns);
    switch (event.kind) {
      case event_kind::open:
        use.open_ns += event.took_ns;
        (event.failed() ? use.misses : use.opens) += 1;
        break;
      case event_kind::look_up:
        use.look_up_ns += event.took_ns;
        ++use.look_ups;
        if (event.failed()) ++use.misses;
        break;
      case event_kind::list:
        use.list_ns += event.took_ns;
        use.entries += event.value;
        ++use.lists;
        break;
      case event_kind::read:
        if (!add_read(use, event)) break;
        if (before.file == event.id && event.begin_ns - before.end_ns <= work_ns_max) {
          use.again_work_ns += event.begin_ns - before.end_ns;
        }
        last_again_[thread] = {event.id, event.end_ns};
        break;
      case event_kind::write:
      case event_kind::sync:
        use.write_ns += event.took_ns;
        if (event.kind == event_kind::write) use.written_bytes += bytes_in(event.value);
        break;
      case event_kind::seek:
        use.seek_ns += event.took_ns;
        use.seek_bytes += bytes_in(event.value);
        ++use.seeks;
        break;
      case event_kind::close:
        use.close_ns += event.took_ns;
        break;
      default:
        break;
    }
  }

  std::vector<file_use> take() {
    std::vector<file_use> all;
    all.reserve(uses_.size());
    for (const auto& [name, use] : uses_) all.push_back(use);
    std::sort(all.begin(), all.end(), [](const file_use& a, const file_use& b) {
      return std::tuple(a.first_ns, a.name) < std::tuple(b.first_ns, b.name);
    });
    return all;
  }

 private:
  struct again_read {
    std::uint32_t file = 0;
    std::uint64_t end_ns = 0;
  };

  // Whether all of it had been read before.
  bool add_read(file_use& use, const watched_event& event) {
    const std::uint64_t bytes = bytes_in(event.value);
    use.read_ns += event.took_ns;
    use.bytes += bytes;
    if (!event.has(plain_event::unseen)) {
      use.reads += event.calls();
      if (event.reads_tiny()) {
        use.tiny_reads += event.calls();
        use.tiny_ns += event.took_ns;
      }
    }
    const std::uint64_t place = place_in(event.value);
    if (bytes == 0 || place >= place_max) return false;
    const std::uint64_t again = places_[event.id].add(place, place + bytes);
    use.again_bytes += again;
    return again == bytes;
  }

  static constexpr std::uint64_t work_ns_max = 200'000;
  std::uint64_t end_ns_;
  std::vector<again_read> last_again_;  // of each thread, if it is its last call
  std::map<std::uint32_t, file_use> uses_;
  std::map<std::uint32_t, read_places> places_;
};

// Where the thread was by its samples, outside of its events.
std::map<std::string, std::uint64_t> code_of(const watched_process& process,
                                             const watched_thread& thread, std::uint64_t end_ns) {
  std::map<std::string, std::uint64_t> code;
  each_sample_outside(thread, end_ns, [&](const thread_sample& each) {
    code[process.file_at(each.address)] += process.sample_ns;
  });
  return code;
}

thread_use use_of(const watched_process& process, const watched_thread& thread,
                  std::uint64_t end_ns) {
  thread_use made;
  made.code_ns = code_of(process, thread, end_ns);
  const std::uint64_t end = std::min(thread.end_ns, end_ns);
  made.span_ns = end > thread.begin_ns ? end - thread.begin_ns : 0;
  for (const watched_event& each : thread.events) {
    const auto kind = static_cast<std::size_t>(each.kind);
    if (each.begin_ns >= end_ns) continue;
    made.kind_count[kind] += each.calls();
    if (each.kind == event_kind::allocate) made.allocate_ns += each.value;
  }
  each_innermost(thread, end_ns,
                 [&](std::uint64_t begin, std::uint64_t stop, const watched_event& event) {
                   const std::uint64_t ns = stop - begin;
                   made.kind_ns[static_cast<std::size_t>(event.kind)] += ns;
                   if (is_wait(event.kind)) made.wait_ns += ns;
                   if (event.kind != event_kind::zone) return;
                   made.zone_ns[event.id] += ns;
                   made.work_ns[static_cast<std::size_t>(zone_of(event.id).work)] += ns;
                 });
  return made;
}

}  // namespace

bool is_file_access(event_kind kind) {
  return (kind >= event_kind::open && kind <= event_kind::sync) || kind == event_kind::seek ||
         kind == event_kind::close;
}

bool decodes(zone_work work) {
  return work == zone_work::images || work == zone_work::sounds || work == zone_work::unpack;
}

bool is_decoding(const watched_event& event) {
  return event.kind == event_kind::zone && decodes(zone_of(event.id).work);
}

std::uint64_t thread_use::file_ns() const {
  std::uint64_t sum = ns(zone_work::files);
  for (std::size_t i = 0; i < event_kinds; ++i) {
    if (is_file_access(static_cast<event_kind>(i))) sum += kind_ns[i];
  }
  return sum;
}

const thread_use* load_view::main() const {
  for (std::size_t i = 0; i < threads.size(); ++i) {
    if (process.threads[i].is_main) return &threads[i];
  }
  return nullptr;
}

load_view view_of(const watched_process& process) {
  load_view made{.process = process, .span = span_of(process), .files = {}, .threads = {}};
  std::vector<std::pair<const watched_event*, std::size_t>> in_order;
  for (const watched_thread& thread : process.threads) {
    const std::size_t number = made.threads.size();
    made.threads.push_back(use_of(process, thread, made.span.end_ns));
    for (const watched_event& each : thread.events) in_order.emplace_back(&each, number);
  }
  order(in_order,
        [](const auto& a, const auto& b) { return a.first->begin_ns < b.first->begin_ns; });
  file_sums sums(made.span.end_ns, process.threads.size());
  for (const auto& [each, thread] : in_order) sums.add(*each, thread);
  made.files = sums.take();
  return made;
}

request_counts requests_in(const load_view& view) {
  const std::uint64_t end_ns = view.span.first_frame_ns.value_or(view.end_ns());
  request_counts made;
  for (const watched_thread& thread : view.process.threads) {
    for (const watched_event& each : thread.events) {
      if (each.begin_ns >= end_ns || each.id == 0) continue;
      if (each.kind == event_kind::open) ++made.opens;
      if (each.kind == event_kind::look_up) ++made.look_ups;
      const bool is_read = each.kind == event_kind::read && !each.has(plain_event::unseen);
      if (is_read) made.reads += each.calls();
    }
  }
  return made;
}

lock_history::lock_history(const watched_process& process) {
  for (std::uint32_t i = 0; i < process.threads.size(); ++i) {
    for (const watched_event& each : process.threads[i].events) {
      if (each.kind == event_kind::release) releases_[each.value].push_back({each.begin_ns, i});
    }
  }
  for (auto& [address, list] : releases_) {
    std::sort(list.begin(), list.end(), [](const release_point& a, const release_point& b) {
      return std::tuple(a.at_ns, a.thread) < std::tuple(b.at_ns, b.thread);
    });
  }
}

std::vector<held_part> lock_history::parts_of(const watched_event& wait,
                                              std::uint32_t thread) const {
  std::vector<held_part> parts;
  const auto found = releases_.find(wait.value);
  if (found == releases_.end()) return parts;
  std::uint64_t begin = wait.begin_ns;
  const auto is_before = [](std::uint64_t ns, const release_point& of) { return ns < of.at_ns; };
  const auto& list = found->second;
  for (auto at = std::upper_bound(list.begin(), list.end(), begin, is_before);
       at != list.end() && at->at_ns <= wait.end_ns; ++at) {
    if (at->thread == thread || at->at_ns == begin) continue;
    parts.push_back({begin, at->at_ns, at->thread});
    begin = at->at_ns;
  }
  return parts;
}

void covered_time::add(std::uint64_t begin_ns, std::uint64_t end_ns) {
  if (end_ns > begin_ns) spans_.emplace_back(begin_ns, end_ns);
}

std::uint64_t covered_time::ns() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> in_order = spans_;
  std::sort(in_order.begin(), in_order.end());
  std::uint64_t sum = 0;
  std::uint64_t done = 0;
  for (const auto& [begin, end] : in_order) {
    if (end <= done) continue;
    sum += end - std::max(begin, done);
    done = end;
  }
  return sum;
}

}  // namespace overture::watch
