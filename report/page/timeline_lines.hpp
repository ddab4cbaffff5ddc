// SPDX-License-Identifier: Zlib
//
// The events of a timeline in memory, in the form that those of a trace file have.
#pragma once

#include <cstdint>
#include <string>

#include "overture/base/error.hpp"
#include "overture/base/function_ref.hpp"
#include "overture/trace/timeline.hpp"
#include "report/page/trace_line.hpp"

namespace overture::report_detail {

// What a subject is called, and the mount that it was read from; both may be empty.
struct subject_text {
  std::string name;
  std::string layer;
};

// Visits the names of the threads, then all events. `describe` is asked once for each event that
// has a subject. Error: out_of_memory.
result<void> each_trace_line(const timeline& record,
                             function_ref<subject_text(std::uint32_t subject)> describe,
                             function_ref<void(const trace_line&)> visit);

}  // namespace overture::report_detail
