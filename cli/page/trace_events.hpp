// SPDX-License-Identifier: Zlib
//
// The events of a trace file, one by one: a file may be larger than memory.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "overture/base/function_ref.hpp"
#include "report/page/trace_line.hpp"

namespace overture::cli {

using report_detail::trace_line;

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
