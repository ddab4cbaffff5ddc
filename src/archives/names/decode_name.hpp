// SPDX-License-Identifier: Zlib
//
// Converts names that are not Unicode to UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

#include "overture/archives/name_encoding.hpp"
#include "overture/base/path.hpp"

namespace overture::archives_detail {

// Writes the name as UTF-8, `length` bytes. False if it is malformed, does not fit, or cannot be
// converted on this system.
[[nodiscard]] bool decode_name(std::string_view name, name_encoding encoding, path_buffer& room,
                               std::size_t& length) noexcept;

}  // namespace overture::archives_detail
