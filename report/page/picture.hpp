// SPDX-License-Identifier: Zlib
//
// A timeline as a page shows it: plain values, with times since the load began.
//
//   timeline_picture picture = picture_of(record, window);
//   picture.critical = critical_path(picture);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "overture/trace/timeline.hpp"
#include "report/model/collect.hpp"

namespace overture::report_detail {

// A stage, a reason to wait, or what the host calls its work.
struct picture_name {
  std::string name;
  bool is_wait = false;
  friend bool operator==(const picture_name&, const picture_name&) = default;
};

// What a thread did. The spans of one thread nest.
struct picture_span {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint32_t name = 0;  // in timeline_picture::names
  std::uint32_t file = no_subject;
};

// In the queue until it is served.
struct picture_read {
  std::uint64_t begin_ns = 0;
  std::uint64_t served_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint32_t file = no_subject;
  std::uint64_t bytes = 0;  // that were read: packed ones, if they came out of a solid block
  bool is_cached = false;
  // Of a solid block, as parts of its service: first it waited for another to unpack the block, and
  // last it unpacked itself.
  std::uint64_t block_wait_ns = 0;
  std::uint64_t unpack_ns = 0;

  // Between the two it read.
  [[nodiscard]] std::uint64_t read_begin_ns() const { return served_ns + block_wait_ns; }
  [[nodiscard]] std::uint64_t read_end_ns() const { return end_ns - unpack_ns; }
  [[nodiscard]] std::uint64_t device_ns() const { return read_end_ns() - read_begin_ns(); }
};

enum class lane_kind : std::uint8_t { main, worker, background };

struct picture_lane {
  std::string name;
  lane_kind kind = lane_kind::background;
  std::uint64_t events_lost = 0;
  std::vector<picture_span> spans;  // by begin, parents before their children
  std::uint64_t begin_ns = 0;       // when the thread was there
  std::uint64_t end_ns = UINT64_MAX;
};

// A thread or a read that ended the wait of a thread.
struct picture_wake {
  static constexpr std::uint32_t by_read = UINT32_MAX;
  std::uint32_t to_lane = 0;
  std::uint64_t to_ns = 0;  // the end of the wait
  std::uint32_t from_lane = by_read;
  std::uint32_t from_read = 0;  // in timeline_picture::reads, if it was one
  std::uint64_t from_ns = 0;    // the call, or the end of the read
};

// A file that waited, on no thread: for room in the memory budget, or for what the name says.
struct picture_delay {
  static constexpr std::uint32_t for_room = UINT32_MAX;
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint32_t file = no_subject;
  // The file that gave up its room then, or whose end let it go on.
  std::uint32_t ended_by = no_subject;
  std::uint32_t name = for_room;  // in timeline_picture::names
};

struct counter_value {
  std::uint64_t at_ns = 0;
  std::uint64_t value = 0;
};
struct picture_counter {
  std::string name;
  std::vector<counter_value> values;
};

// A part of the critical path, on one thread or in a read.
struct path_step {
  static constexpr std::uint32_t in_read = UINT32_MAX;
  std::uint32_t lane = 0;
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::string name;
  bool is_wait = false;
  std::uint32_t file = no_subject;
  // A wait that leads to another thread or a read, and whether that has ended it is recorded.
  enum class turn : std::uint8_t { none, guessed, recorded };
  turn leads = turn::none;
};

struct timeline_picture {
  std::uint64_t total_ns = 0;              // until the load ended
  std::uint64_t load_begin_ns = 0;         // mounting came before
  std::uint64_t events_lost_in_reads = 0;  // of threads that only read
  std::vector<picture_name> names;
  std::vector<picture_lane> lanes;  // main, workers, others; not the threads that only read
  std::vector<picture_read> reads;  // by begin
  std::vector<picture_counter> counters;
  std::vector<picture_delay> delays;  // by begin
  std::vector<picture_wake> wakes;    // by to_lane and to_ns
  std::vector<path_step> critical;    // by begin

  [[nodiscard]] std::uint64_t events_lost() const;
};

// `start_ns`: the zero of the picture's times, on the clock of now_ns().
[[nodiscard]] timeline_picture picture_of(const timeline& record, const load_window& window,
                                          std::uint64_t start_ns);

}  // namespace overture::report_detail
