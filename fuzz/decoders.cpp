// Any bytes as a file of each type: decoders refuse or decode, within the memory that the input
// justifies.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "overture/allocator.hpp"
#include "overture/decoders.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace overture;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  for (const decoder* each : all_decoders()) {
    tracking_allocator memory;
    {
      const result<decoded_asset> asset = each->decode(bytes, memory);
      if (asset) {
        // Reads all of it, so that the sanitizers see what was left undefined or too short.
        std::size_t sum = 0;
        for (const std::byte value : asset->bytes()) sum += static_cast<std::size_t>(value);
        volatile std::size_t sink = sum;
        (void)sink;
      }
    }
    if (memory.total().bytes != 0) std::abort();
  }
  return 0;
}
