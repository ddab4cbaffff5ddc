// SPDX-License-Identifier: Zlib
//
// Decodes like a program that calls the libraries itself: libspng, libjpeg-turbo, libvorbisfile and
// libopusfile, each output in a malloc block of its own. Formats without a library (TGA, DDS, WAV,
// MD3, text) go directly to Overture's decoders. Other files are copied, since a game needs their
// bytes too.
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

struct plain_output {
  std::unique_ptr<std::byte, free_block> block;
  overture::decoded_asset asset;  // from Overture's decoders
  std::size_t bytes = 0;
  bool made = false;  // false if the file could not be decoded
};

[[nodiscard]] plain_output plain_decode(std::string_view name, std::span<const std::byte> content);

}  // namespace bench
