// SPDX-License-Identifier: Zlib
//
// Which decoder makes an asset of a file, and what to say if none makes the kind that is wanted.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "overture/base/error.hpp"
#include "overture/decoders/decoder.hpp"
#include "overture/loaders/plain_loaders.hpp"

namespace overture::loaders {

// One that is always built in.
[[nodiscard]] const decoder* decoder_called(std::string_view name) noexcept;

// The first that accepts the file, or null.
[[nodiscard]] const decoder* decoder_for(std::string_view path,
                                         std::span<const std::byte> bytes) noexcept;

// Decodes a file that must become an asset of this kind. Errors: those of the decoder; unsupported
// if it is another kind of file.
[[nodiscard]] result<decoded_asset> decode_as(asset_kind kind, std::string_view path,
                                              std::span<const std::byte> bytes,
                                              allocator& memory) noexcept;

// What a bytes_loader and a text_loader make of a file. Errors: theirs.
[[nodiscard]] result<file_bytes> copy_bytes(std::span<const std::byte> bytes,
                                            allocator& memory) noexcept;
[[nodiscard]] result<text_file> decode_text(std::span<const std::byte> bytes,
                                            allocator& memory) noexcept;

// What to say of a file that is no asset of the kind wanted, but `found`.
[[nodiscard]] const char* not_of_kind(asset_kind wanted, asset_kind found) noexcept;

}  // namespace overture::loaders
