// SPDX-License-Identifier: Zlib
//
// Converts UTF-16 names, which some archive formats use.
#pragma once

#include <cstddef>
#include <span>

#include "overture/base/path.hpp"

namespace overture::archives_detail {

enum class byte_order : std::uint8_t { little, big };

// Writes the text as UTF-8, `length` bytes. False if it is malformed or does not fit; `room` then
// has its first `length` bytes.
[[nodiscard]] bool utf8_of_utf16(std::span<const std::byte> text, byte_order order,
                                 path_buffer& room, std::size_t& length) noexcept;

}  // namespace overture::archives_detail
