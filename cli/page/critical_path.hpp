// SPDX-License-Identifier: Zlib
//
// The critical path of a load: what its end waited for, followed back to its beginning. Making
// anything else faster does not end the load sooner.
//
// From the last work that ended, the path goes back along its thread. Where the thread waited, it
// goes over to what ended last before the wait did: another thread's work, or a read. After Yang
// and Miller, Critical Path Analysis for the Execution of Parallel and Distributed Programs, 1988;
// that what ended last has ended the wait is a guess, since a timeline does not record wakes.
#pragma once

#include <vector>

#include "page/picture.hpp"

namespace overture::cli {

// By begin, without gaps: the sum of all steps is the time from the first begin to the last end.
[[nodiscard]] std::vector<path_step> critical_path(const timeline_picture& picture);

}  // namespace overture::cli
