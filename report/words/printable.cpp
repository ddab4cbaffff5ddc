// SPDX-License-Identifier: Zlib
#include "report/words/printable.hpp"

#include <fmt/core.h>

#include <bit>
#include <iterator>

namespace overture::report_detail {

namespace {

struct range {
  char32_t first;
  char32_t last;
};

// Control characters, and those that change the direction of text or break lines.
constexpr range unprintable[] = {
    {0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},     {0x061C, 0x061C}, {0x200B, 0x200F},
    {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE0FFF},
};

bool is_unprintable(char32_t c) {
  for (const range& each : unprintable) {
    if (c >= each.first && c <= each.last) return true;
  }
  return false;
}

}  // namespace

character front_character(std::string_view text) {
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};  // by length: no overlong forms
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {text.substr(0, 1), lead, true};
  const character broken{text.substr(0, 1), lead, false};
  const auto length = static_cast<std::size_t>(std::countl_one(lead));
  if (length < 2 || length > 4 || text.size() < length) return broken;
  char32_t code = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0u) != 0x80u) return broken;
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  if (code < smallest[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
    return broken;
  }
  return {text.substr(0, length), code, true};
}

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const character c = front_character(text);
    if (!c.valid || (c.code < 0x80 && is_unprintable(c.code))) {
      fmt::format_to(std::back_inserter(shown), "\\x{:02x}", static_cast<unsigned>(c.code));
    } else if (is_unprintable(c.code)) {
      fmt::format_to(std::back_inserter(shown), "\\u{{{:x}}}", static_cast<unsigned>(c.code));
    } else {
      shown += c.bytes;
    }
    text.remove_prefix(c.bytes.size());
  }
  return shown;
}

std::string last_element(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos || path.size() == 1 ? path
                                                                         : path.substr(slash + 1));
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace overture::report_detail
