// SPDX-License-Identifier: Zlib
//
// A plain io_uring loop, as a reference for the read queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bench {

struct ring_read {
  const char* path = nullptr;  // opened and closed for this read; if null,
  int file = -1;               // an open file
  std::uint64_t offset = 0;
  std::span<std::byte> bytes;
};

// Whether the build and the kernel support io_uring.
bool has_ring();
// Reads all of them, `depth` at a time. False if one failed.
bool read_with_ring(std::span<const ring_read> reads, unsigned depth);

}  // namespace bench
