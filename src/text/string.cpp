// SPDX-License-Identifier: Zlib
#include <array>

#include "base/utf8.hpp"
#include "overture/text/detail/write_value.hpp"

namespace overture::text::detail {
using namespace base_detail;

namespace {

// The character after the backslash: 0 for bytes written as they are, 'x' for those written in hex.
constexpr std::array<char, 256> make_escapes() noexcept {
  std::array<char, 256> table{};
  for (std::size_t i = 0; i < 0x20; ++i) table[i] = 'x';
  table[0x7F] = 'x';
  table['\n'] = 'n';
  table['\r'] = 'r';
  table['\t'] = 't';
  table['"'] = '"';
  table['\\'] = '\\';
  return table;
}
constexpr std::array<char, 256> escapes = make_escapes();
constexpr char hex_digits[] = "0123456789abcdef";

char escape_of(char c) noexcept {
  return escapes[static_cast<unsigned char>(c)];
}

char* put_by_number(char* out, unsigned code, int digits) noexcept {
  for (int i = digits - 1; i >= 0; --i) *out++ = hex_digits[code >> (4 * i) & 15];
  return out;
}

}  // namespace

char* write_quoted(char* out, std::string_view text) noexcept {
  *out++ = '"';
  for (const char c : text) {
    const char escape = escape_of(c);
    if (escape == 0) {
      *out++ = c;
      continue;
    }
    *out++ = '\\';
    *out++ = escape;
    if (escape == 'x') out = put_by_number(out, static_cast<unsigned char>(c), 2);
  }
  *out++ = '"';
  return out;
}

char* write_json_string(char* out, std::string_view text) noexcept {
  *out++ = '"';
  while (!text.empty()) {
    const char c = text[0];
    const char escape = escape_of(c);
    if (escape == 0 && static_cast<unsigned char>(c) < 0x80) {
      *out++ = c;
      text.remove_prefix(1);
      continue;
    }
    const std::size_t bytes = escape == 0 ? utf8_character_bytes(text) : 1;
    if (escape != 0 && escape != 'x') {
      *out++ = '\\';
      *out++ = escape;
    } else if (escape == 'x' || bytes == 0) {
      *out++ = '\\';
      *out++ = 'u';
      // A byte that is not UTF-8 becomes an unpaired surrogate, which valid text never contains.
      const unsigned code = static_cast<unsigned char>(c);
      out = put_by_number(out, bytes == 0 ? 0xDC00 + code : code, 4);
    } else {
      for (std::size_t i = 0; i < bytes; ++i) *out++ = text[i];
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  *out++ = '"';
  return out;
}

}  // namespace overture::text::detail
