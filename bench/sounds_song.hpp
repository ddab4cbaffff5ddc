// SPDX-License-Identifier: Zlib
//
// A song for bench_sounds.
#pragma once

#include <string>

namespace bench {

// Stereo at 44,100 Hz, with the bit rate that music has: tones that wander, and noise.
[[nodiscard]] std::string five_minutes_of_vorbis();

}  // namespace bench
