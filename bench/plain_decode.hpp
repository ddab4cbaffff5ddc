// Decoding as a program does it that calls the libraries itself: libspng, libjpeg-turbo,
// libvorbisfile and libopusfile, each output into a block of malloc's. Formats that have no library
// (TGA, DDS, WAV, MD3, text) are decoded by Overture's functions, called directly; of other files
// the bytes are copied, since they are needed too.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>

#include "overture/decoders/decoder.hpp"

namespace bench {

struct free_block {
  void operator()(void* block) const { std::free(block); }
};

// Nothing in it: the file could not be decoded.
struct plain_output {
  std::unique_ptr<std::byte, free_block> block;
  overture::decoded_asset asset;  // of Overture's functions
  std::size_t bytes = 0;
  bool made = false;
};

[[nodiscard]] plain_output plain_decode(std::string_view name, std::span<const std::byte> content);

}  // namespace bench
