// SPDX-License-Identifier: Zlib
//
// An event of a trace, from a file or from a timeline.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace overture::report_detail {

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
  std::optional<std::string> ended_by = {};  // likewise: what let it go on, or gave up its room
  std::string given_name = {};               // of a process or thread
  std::string layer = {};
  std::uint64_t bytes = 0;
  std::uint64_t queue_ns = 0;
  std::uint64_t cpu_ns = 0;
  std::uint64_t events_lost = 0;
  std::optional<std::uint64_t> value = {};  // of a counter or mark
  bool is_cached = false;
  bool is_sync = false;
  // Of a span: it unpacks a solid block. Of a request: its bytes came out of one, for which so many
  // packed bytes were read, and it was unpacked or waited for.
  bool is_block = false;
  std::uint64_t packed_bytes = 0;
  std::uint64_t unpack_ns = 0;
  std::uint64_t block_wait_ns = 0;
};

}  // namespace overture::report_detail
