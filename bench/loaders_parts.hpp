// SPDX-License-Identifier: Zlib
#pragma once

namespace bench {

class results;

// Textures whose small levels are on the screen first.
void measure_stages(results& out, int rounds);

}  // namespace bench
