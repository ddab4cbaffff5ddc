// SPDX-License-Identifier: Zlib
//
// Converts CP932, the Shift JIS of Windows, to UTF-8. Platform by file.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace overture::base_detail {

// Writes `length` bytes. False if the text is malformed, does not fit, or cannot be converted on
// this system.
[[nodiscard]] bool decode_cp932(std::string_view text, std::span<char> room,
                                std::size_t& length) noexcept;

}  // namespace overture::base_detail
