// SPDX-License-Identifier: Zlib
//
// The parts of bench_sync in which threads meet at a row of events.
#pragma once

#include "sync_parts.hpp"

namespace bench {

void measure_hurdles(const settings& set, results& results);
void measure_crowded(const settings& set, results& results);
void measure_ladder(const settings& set, results& results);

}  // namespace bench
