// SPDX-License-Identifier: Zlib
#include "overture/text/read.hpp"

namespace overture::text {

position position_of(std::string_view text, std::uint64_t offset) noexcept {
  position found;
  for (std::size_t i = 0; i < offset && i < text.size(); ++i) {
    ++found.column;
    if (text[i] != '\n') continue;
    ++found.line;
    found.column = 1;
  }
  return found;
}

}  // namespace overture::text
