// SPDX-License-Identifier: Zlib
//
// KTX2: https://registry.khronos.org/KTX/specs/2.0/ktxspec.v2.html. The header and the index of the
// levels are checked against the file and against each other; then each level is one copy, or is
// unpacked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "overture/base/error.hpp"
#include "overture/io/unpack.hpp"
#include "overture/loaders/texture_loader.hpp"

namespace overture::loaders {

[[nodiscard]] bool is_ktx2(std::span<const std::byte> bytes) noexcept;

struct ktx2_level {
  std::uint64_t offset = 0;  // in the file
  std::uint64_t bytes = 0;
};
using ktx2_values = ktx2_level;  // where keys and values are

struct ktx2_header {
  texture_shape shape;
  std::uint64_t bytes = 0;  // of the texture
  ktx2_values values;
  compression packed = compression::none;
  ktx2_level level[texture_levels_max];  // those of the shape
};

// Takes a key and its value from the front; false at the end, or if what is there is none. The
// value has a data() even if it is empty.
[[nodiscard]] bool take_ktx2_value(std::span<const std::byte>& rest, std::string_view& key,
                                   std::span<const std::byte>& value) noexcept;

// Of a file of so many bytes, or of its beginning: with the small levels that are there, one at
// least. Errors: corrupt, unsupported, limit.
[[nodiscard]] result<ktx2_header> parse_ktx2(std::span<const std::byte> bytes,
                                             std::uint64_t file_bytes) noexcept;

// Errors: those, out_of_memory.
[[nodiscard]] result<texture> decode_ktx2(std::span<const std::byte> bytes,
                                          std::uint64_t file_bytes, allocator& memory) noexcept;

}  // namespace overture::loaders
