// Passes any bytes to each decoder: it refuses or decodes them, the result has the size its numbers
// state, and all memory is freed. Ogg pages have checksums, which mutated bytes would never pass,
// so such files are decoded a second time with corrected ones.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "overture/base/allocator.hpp"
#include "overture/decoders/decoder.hpp"
#include "overture/decoders/model.hpp"

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
      break;
  }
  return asset.bytes().size();
}

void decode_as_each_type(std::span<const std::byte> bytes) {
  for (const decoder* each : all_decoders()) {
    tracking_allocator memory;
    {
      const result<decoded_asset> asset = each->decode(bytes, memory);
      if (asset) {
        if (asset->bytes().size() != stated_bytes(*asset)) std::abort();
        // Reads all of it, so that sanitizers find undefined or missing bytes.
        std::size_t sum = 0;
        for (const std::byte value : asset->bytes()) sum += static_cast<std::size_t>(value);
        volatile std::size_t sink = sum;
        (void)sink;
      }
    }
    if (memory.total().bytes != 0) std::abort();
  }
}

std::uint32_t ogg_checksum(std::span<const std::byte> page) {
  std::uint32_t sum = 0;
  for (const std::byte value : page) {
    sum ^= std::to_integer<std::uint32_t>(value) << 24;
    for (int bit = 0; bit < 8; ++bit) sum = sum << 1 ^ (sum >> 31 != 0 ? 0x04C11DB7u : 0);
  }
  return sum;
}

// Whether there was a page to repair.
bool repair_checksums(std::span<std::byte> file) {
  static constexpr std::size_t header_bytes = 27;
  static constexpr std::size_t checksum_place = 22;
  bool found = false;
  for (std::size_t at = 0; at + header_bytes <= file.size(); ++at) {
    if (std::memcmp(file.data() + at, "OggS", 4) != 0) continue;
    const std::size_t segments = std::to_integer<std::size_t>(file[at + header_bytes - 1]);
    std::size_t size = header_bytes + segments;
    if (size > file.size() - at) continue;
    for (std::size_t i = 0; i < segments; ++i) {
      size += std::to_integer<std::size_t>(file[at + header_bytes + i]);
    }
    if (size > file.size() - at) continue;
    std::memset(file.data() + at + checksum_place, 0, 4);
    const std::uint32_t sum = ogg_checksum(file.subspan(at, size));
    for (unsigned i = 0; i < 4; ++i) {
      file[at + checksum_place + i] = static_cast<std::byte>(sum >> 8 * i);
    }
    found = true;
  }
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  decode_as_each_type(bytes);
  std::vector<std::byte> repaired(bytes.begin(), bytes.end());
  if (repair_checksums(repaired)) decode_as_each_type(repaired);
  return 0;
}
