// SPDX-License-Identifier: Zlib
//
// Case-insensitive comparison of short ASCII words, such as extensions; ignores the locale.
#pragma once

#include <string_view>

namespace overture::base_detail {

[[nodiscard]] constexpr char to_lower_ascii(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

[[nodiscard]] constexpr bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (to_lower_ascii(a[i]) != to_lower_ascii(b[i])) return false;
  }
  return true;
}

}  // namespace overture::base_detail
