// SPDX-License-Identifier: Zlib
//
// The critical path of a load: what its end waited for, followed back to its beginning. Making
// anything else faster does not end the load sooner.
//
// From the last work that ended, the path goes back along its thread. Where the thread waited, it
// goes over to whoever ended the wait: the thread that woke it, or a read. Where no wake is
// recorded (the thread spun, or was given work while it looked for some), it goes over to what
// ended last before the wait did, another thread's work or a read: a guess, and the step says so.
// After Yang and Miller, Critical Path Analysis for the Execution of Parallel and Distributed
// Programs, 1988.
#pragma once

#include <vector>

#include "report/page/picture.hpp"

namespace overture::report_detail {

// Steps by begin, without gaps: the sum of all steps is the time from the first begin to the last
// end.
[[nodiscard]] std::vector<path_step> critical_path(const timeline_picture& picture);

}  // namespace overture::report_detail
