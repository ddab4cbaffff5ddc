// SPDX-License-Identifier: Zlib
#include "io_ring.hpp"

namespace bench {

bool has_ring() {
  return false;
}

bool read_with_ring(std::span<const ring_read>, unsigned) {
  return false;
}

}  // namespace bench
