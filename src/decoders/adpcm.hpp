// SPDX-License-Identifier: Zlib
//
// ADPCM: sounds whose samples are stored as 4-bit differences, in blocks that begin with whole
// samples. The methods are those of Microsoft's "New Multimedia Data Types and Data Techniques" and
// of the IMA's "Recommended Practices for Enhancing Digital Audio Compatibility".
#pragma once

#include <cstddef>
#include <cstdint>

namespace overture::decoders_detail {

struct adpcm {
  // How many frames a block of this size holds; 0 if it is too small.
  std::uint64_t (*frames_in)(std::uint64_t block_bytes, std::uint32_t channels) noexcept;
  // Writes the first `frames` of a block, channels interleaved. At least one, and no more than it
  // holds. False if the block is damaged.
  bool (*unpack)(const std::byte* block, std::uint32_t channels, std::uint64_t frames,
                 std::int16_t* to) noexcept;
};

extern const adpcm ima_adpcm;
extern const adpcm ms_adpcm;

}  // namespace overture::decoders_detail
