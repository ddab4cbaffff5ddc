// SPDX-License-Identifier: Zlib
//
// The events of a trace file, one by one: a file may be larger than memory.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include "overture/base/function_ref.hpp"

namespace overture::cli {

// What an event says, as far as a page needs it. Times are since the start of the trace.
struct trace_line {
  char phase = 0;  // 'X' a span, 'i' a mark, 'C' a counter, 'M' a name, 's' and 'f' a flow
  std::string name = {};
  std::string category = {};
  std::uint64_t process = 0;
  std::uint64_t thread = 0;
  std::uint64_t id = 0;  // of a flow
  std::optional<std::uint64_t> begin_ns = {};
  std::optional<std::uint64_t> duration_ns = {};

  // Arguments.
  std::string subject = {};  // its name, or its number
  bool has_subject = false;
  std::optional<std::string> held_by = {};  // likewise
  std::string given_name = {};              // of a process or thread
  std::string layer = {};
  std::uint64_t bytes = 0;
  std::uint64_t queue_ns = 0;
  std::uint64_t cpu_ns = 0;
  std::uint64_t events_lost = 0;
  std::optional<std::uint64_t> value = {};  // of a counter or mark
  bool is_cached = false;
  bool is_sync = false;
};

struct trace_reading {
  bool is_trace = false;   // it has a list of events
  bool is_report = false;  // it is what `overture load --json` writes
  bool is_whole = false;
  bool is_refused = false;  // the system did not let it be read to its end
  std::uint64_t events = 0;
};

// Visits each event of a file in the order in which they stand. What follows a mistake in the text,
// or where it was cut, is not read.
[[nodiscard]] trace_reading read_trace_events(std::istream& file,
                                              function_ref<void(const trace_line&)> visit);

}  // namespace overture::cli
