// A plain io_uring loop, as the reference beside the read queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bench {

struct ring_read {
  const char* path = nullptr;  // opened and closed for it, or
  int file = -1;               // one that is open
  std::uint64_t offset = 0;
  std::span<std::byte> bytes;
};

// Whether the build and the kernel have it.
bool has_ring();
// Reads all of them, `depth` at once. False if one failed.
bool read_with_ring(std::span<const ring_read> reads, unsigned depth);

}  // namespace bench
