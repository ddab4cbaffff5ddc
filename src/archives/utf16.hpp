// Names in UTF-16, as some archives have them.
#pragma once

#include <cstddef>
#include <span>

#include "overture/base/path.hpp"

namespace overture::vfs {

enum class byte_order : std::uint8_t { little, big };

// Writes the text as UTF-8; false if it is not well-formed, or does not fit: `length` bytes of it
// are in the room then.
[[nodiscard]] bool utf8_of_utf16(std::span<const std::byte> text, byte_order order,
                                 path_buffer& room, std::size_t& length) noexcept;

}  // namespace overture::vfs
