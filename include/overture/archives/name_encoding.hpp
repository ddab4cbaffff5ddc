// SPDX-License-Identifier: Zlib
//
// The character sets of archives that do not use Unicode.
#pragma once

#include <cstdint>
#include <string_view>

#include "overture/base/api.hpp"

namespace overture {

enum class name_encoding : std::uint8_t {
  cp437,         // DOS in the USA and Western Europe, and what the ZIP format prescribes
  latin1,        // ISO 8859-1
  windows_1251,  // Cyrillic
  windows_1252,  // Western Europe
  cp932,         // Shift JIS as on Windows; needs iconv()
};

// The name for people and for the command line, such as "cp437". Any thread.
[[nodiscard]] OVERTURE_API std::string_view to_string(name_encoding encoding) noexcept;

}  // namespace overture
