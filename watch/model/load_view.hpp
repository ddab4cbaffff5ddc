// SPDX-License-Identifier: Zlib
//
// What a load's threads and files took, summed up: all that the findings look at.
//
//   load_view view = view_of(process);
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "watch/model/load_span.hpp"
#include "watch/model/watched.hpp"

namespace overture::watch {

// One name that was opened, read or looked for, until the load was over.
struct file_use {
  std::uint32_t name = 0;
  std::uint64_t opens = 0;
  std::uint64_t misses = 0;  // of opening and looking up
  std::uint64_t look_ups = 0;
  std::uint64_t lists = 0;
  std::uint64_t entries = 0;  // listed
  std::uint64_t reads = 0;
  std::uint64_t tiny_reads = 0;
  std::uint64_t bytes = 0;        // read
  std::uint64_t again_bytes = 0;  // of them, that had been read before
  std::uint64_t written_bytes = 0;
  std::uint64_t seeks = 0;       // that read a block
  std::uint64_t seek_bytes = 0;  // which they read
  std::uint64_t first_ns = UINT64_MAX;
  std::uint64_t open_ns = 0;
  std::uint64_t read_ns = 0;
  // Between reads that read again, of one thread and with no other call between them: what it does
  // with the same bytes again.
  std::uint64_t again_work_ns = 0;
  std::uint64_t tiny_ns = 0;
  std::uint64_t look_up_ns = 0;
  std::uint64_t list_ns = 0;
  std::uint64_t write_ns = 0;
  std::uint64_t seek_ns = 0;
  std::uint64_t close_ns = 0;

  // Of all threads, without what was written.
  [[nodiscard]] std::uint64_t access_ns() const {
    return open_ns + read_ns + seek_ns + close_ns + look_up_ns;
  }
};

// Time of a thread until the load was over, without what lies inside other events.
struct thread_use {
  std::array<std::uint64_t, event_kinds> kind_ns{};  // zones: see work_ns
  std::array<std::uint64_t, event_kinds> kind_count{};
  std::array<std::uint64_t, zone_works> work_ns{};
  std::map<std::uint32_t, std::uint64_t> zone_ns;  // by number
  std::uint64_t wait_ns = 0;
  std::uint64_t allocate_ns = 0;  // a guess, and a part of other times
  std::uint64_t span_ns = 0;      // that it lived
  // By samples, outside of all events: the files of the code, by name.
  std::map<std::string, std::uint64_t> code_ns;

  [[nodiscard]] std::uint64_t ns(event_kind kind) const {
    return kind_ns[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] std::uint64_t ns(zone_work work) const {
    return work_ns[static_cast<std::size_t>(work)];
  }
  [[nodiscard]] std::uint64_t file_ns() const;
  [[nodiscard]] std::uint64_t decode_ns() const {
    return ns(zone_work::images) + ns(zone_work::sounds) + ns(zone_work::unpack);
  }
};

struct load_view {
  const watched_process& process;
  load_span span;
  std::vector<file_use> files;      // by first_ns
  std::vector<thread_use> threads;  // of process.threads

  [[nodiscard]] std::uint64_t end_ns() const { return span.end_ns; }
  // The main thread; null if it was not seen.
  [[nodiscard]] const thread_use* main() const;
};

// What was asked of the system about files, before the first frame or else until the load was over.
struct request_counts {
  std::uint64_t opens = 0;
  std::uint64_t look_ups = 0;
  std::uint64_t reads = 0;
};
[[nodiscard]] request_counts requests_in(const load_view& view);

[[nodiscard]] load_view view_of(const watched_process& process);
[[nodiscard]] bool is_file_access(event_kind kind);
[[nodiscard]] bool decodes(zone_work work);  // images and sounds, and unpacking
[[nodiscard]] bool is_decoding(const watched_event& event);

// The innermost events of a thread one by one until `end_ns`, without overlap: `visit` gets the
// begin, the end and the event.
template <class Visit>
void each_innermost(const watched_thread& thread, std::uint64_t end_ns, Visit visit) {
  std::vector<const watched_event*> open;
  std::uint64_t now = 0;
  const auto until = [&](std::uint64_t end) {
    end = end < end_ns ? end : end_ns;
    if (end <= now) return;
    if (!open.empty()) visit(now, end, *open.back());
    now = end;
  };
  const auto close_before = [&](std::uint64_t ns) {
    while (!open.empty() && open.back()->end_ns <= ns) {
      until(open.back()->end_ns);
      open.pop_back();
    }
  };
  for (const watched_event& each : thread.events) {
    close_before(each.begin_ns);
    until(each.begin_ns);
    open.push_back(&each);
  }
  close_before(UINT64_MAX);
}

// The samples of a thread until `end_ns` that are outside of all its events.
template <class Visit>
void each_sample_outside(const watched_thread& thread, std::uint64_t end_ns, Visit visit) {
  auto event = thread.events.begin();
  std::uint64_t inside_until = 0;
  for (const thread_sample& each : thread.samples) {
    if (each.at_ns >= end_ns) break;
    for (; event != thread.events.end() && event->begin_ns <= each.at_ns; ++event) {
      inside_until = inside_until > event->end_ns ? inside_until : event->end_ns;
    }
    if (each.at_ns >= inside_until) visit(each);
  }
}

// The outermost of the events that `wanted` accepts, each until `end_ns` at most.
template <class Wanted, class Visit>
void each_outermost(const watched_thread& thread, std::uint64_t end_ns, Wanted wanted,
                    Visit visit) {
  std::uint64_t done = 0;
  for (const watched_event& each : thread.events) {
    if (each.begin_ns >= end_ns) break;
    if (each.begin_ns < done || !wanted(each)) continue;
    done = each.end_ns;
    visit(each.begin_ns, each.end_ns < end_ns ? each.end_ns : end_ns, each);
  }
}

// A part of a wait for a lock, and the thread that had the lock meanwhile.
struct held_part {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint32_t holder = 0;
};
// By the releases of each address.
class lock_history {
 public:
  explicit lock_history(const watched_process& process);
  // The parts of a wait for which the holder is known.
  [[nodiscard]] std::vector<held_part> parts_of(const watched_event& wait,
                                                std::uint32_t thread) const;

 private:
  struct release_point {
    std::uint64_t at_ns;
    std::uint32_t thread;
  };
  std::map<std::uint64_t, std::vector<release_point>> releases_;
};

// How much of [begin, end) spans cover that are added in any order.
class covered_time {
 public:
  void add(std::uint64_t begin_ns, std::uint64_t end_ns);
  [[nodiscard]] std::uint64_t ns() const;

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spans_;
};

}  // namespace overture::watch
