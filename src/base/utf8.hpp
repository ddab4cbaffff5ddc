// SPDX-License-Identifier: Zlib
//
// UTF-8 as defined by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string_view>

namespace overture::base_detail {

// The length of the first character in bytes; 0 if the text is empty or ill-formed there.
[[nodiscard]] constexpr std::size_t utf8_character_bytes(std::string_view text) noexcept {
  if (text.empty()) return 0;
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t bytes = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() < bytes) return 0;
  // The second byte suffices to detect overlong forms, surrogates and values above U+10FFFF.
  unsigned char least = 0x80;
  unsigned char most = 0xBF;
  if (lead == 0xE0) least = 0xA0;
  if (lead == 0xED) most = 0x9F;
  if (lead == 0xF0) least = 0x90;
  if (lead == 0xF4) most = 0x8F;
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if (next < least || next > most) return 0;
    least = 0x80;
    most = 0xBF;
  }
  return bytes;
}

}  // namespace overture::base_detail
