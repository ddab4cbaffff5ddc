// SPDX-License-Identifier: Zlib
//
// Passes any bytes to each decoder: it refuses or decodes them, the result has the size its numbers
// state, and all memory is freed, even if one allocation was refused. Which one follows from the
// input, and so does the name that decoders see.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <span>

#include "mutators/libfuzzer.hpp"
#include "overture/base/hash.hpp"
#include "overture/decoders/decoder.hpp"
#include "overture/decoders/model.hpp"
#include "support/failing_allocator.hpp"

namespace {

using namespace overture;

std::uint64_t stated_bytes(const decoded_asset& asset) {
  switch (asset.kind()) {
    case asset_kind::image:
      return std::uint64_t{asset.width} * asset.height * 4;
    case asset_kind::sound:
      return asset.frames * asset.channels * sizeof(std::int16_t);
    case asset_kind::model:
      return model_view::block_bytes(model_view(asset).counts());
    case asset_kind::none:
    case asset_kind::text:
    case asset_kind::texture:
    case asset_kind::binary:
      break;
  }
  return asset.bytes().size();
}

// Returns the number of allocations.
std::uint64_t decode(const decoder& by, std::span<const std::byte> bytes, std::uint64_t refused) {
  failing_allocator memory(refused);
  {
    const result<decoded_asset> asset = by.decode(bytes, memory);
    if (asset) {
      if (asset->bytes().size() != stated_bytes(*asset)) std::abort();
      if (to_string(asset->kind())[0] == '\0' || to_string(asset->format)[0] == '\0') std::abort();
      // Reads all of it, so that sanitizers find undefined or missing bytes.
      std::size_t sum = 0;
      for (const std::byte value : asset->bytes()) sum += static_cast<std::size_t>(value);
      volatile std::size_t sink = sum;
      (void)sink;
    }
  }
  if (memory.live_bytes() != 0) std::abort();
  return memory.calls();
}

void decode_as_each_type(std::span<const std::byte> bytes) {
  static constexpr const char* names[] = {"a.png", "a.jpg", "a.tga", "a.dds", "a.wav",
                                          "a.md3", "a.ogg", "a.oga", "a.xml", "a.opus",
                                          "a.txt", "a.obj", "a.pcx", "a.mp3"};
  const std::uint64_t choice = hash64({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  for (const decoder* each : all_decoders()) {
    if (each->name()[0] == '\0') std::abort();
    (void)each->accepts(names[choice / 4 % std::size(names)], bytes);
    (void)each->memory_needed(bytes);
    const std::uint64_t allocations = decode(*each, bytes, UINT64_MAX);
    if (choice % 4 == 0 && allocations > 0) decode(*each, bytes, (choice >> 8) % allocations);
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed) {
  using namespace overture::fuzz;
  return mutate_file({mutate_png, mutate_ogg}, data, size, size_max, seed, LLVMFuzzerMutate);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  decode_as_each_type({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
