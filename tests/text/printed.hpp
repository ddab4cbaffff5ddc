// SPDX-License-Identifier: Zlib
#pragma once

#include <bit>
#include <cstdint>
#include <cstdio>
#include <string>

namespace overture::test {

// "%.*f" as POSIX has it. C libraries of Windows leave out the sign of NaN.
inline std::string printed_fixed(double value, int decimals) {
  char text[512];
  const int size = std::snprintf(text, sizeof text, "%.*f", decimals, value);
  std::string printed(text, static_cast<std::size_t>(size));
  const bool negative = std::bit_cast<std::uint64_t>(value) >> 63 != 0;
  return printed == "nan" && negative ? "-nan" : printed;
}

}  // namespace overture::test
