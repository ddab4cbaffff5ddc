// SPDX-License-Identifier: Zlib
//
// A load in the forms that other programs read.
#pragma once

#include <string>
#include <string_view>

#include "page/load_files.hpp"

namespace overture::cli {

// What a Perfetto trace of ours begins with.
extern const std::string_view perfetto_beginning;

// All files, a row each, in microseconds; a first row names the columns. As RFC 4180 has it, with
// line feeds.
[[nodiscard]] std::string files_csv(const load_model& load);
// "main;decode;waiting: lock 1234": nanoseconds by thread and what it did, the outermost first, for
// flamegraph.pl, inferno and speedscope.
[[nodiscard]] std::string folded_stacks(const timeline_picture& picture);
// The protobuf of Perfetto: threads, reads, counters, and wakes as flows.
[[nodiscard]] std::string perfetto_trace(const load_model& load);

}  // namespace overture::cli
