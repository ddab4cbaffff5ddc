// SPDX-License-Identifier: Zlib
#include "archives/names/utf16.hpp"

#include "base/little_endian.hpp"

namespace overture::archives_detail {
using namespace base_detail;

namespace {

std::size_t put_character(std::uint32_t c, char* to) noexcept {
  const auto tail = [c](unsigned shift) { return static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    to[0] = static_cast<char>(c);
    return 1;
  }
  if (c < 0x800) {
    to[0] = static_cast<char>(0xC0 | c >> 6);
    to[1] = tail(0);
    return 2;
  }
  if (c < 0x10000) {
    to[0] = static_cast<char>(0xE0 | c >> 12);
    to[1] = tail(6);
    to[2] = tail(0);
    return 3;
  }
  to[0] = static_cast<char>(0xF0 | c >> 18);
  to[1] = tail(12);
  to[2] = tail(6);
  to[3] = tail(0);
  return 4;
}

}  // namespace

bool utf8_of_utf16(std::span<const std::byte> text, byte_order order, path_buffer& room,
                   std::size_t& length) noexcept {
  const auto unit = [&](std::size_t at) -> std::uint32_t {
    const std::uint32_t little = load_u16(text.data() + at);
    return order == byte_order::little ? little : (little & 0xFF) << 8 | little >> 8;
  };
  length = 0;
  if (text.size() % 2 != 0) return false;
  for (std::size_t at = 0; at < text.size(); at += 2) {
    std::uint32_t c = unit(at);
    if (c >= 0xD800 && c < 0xE000) {
      const bool pair = c < 0xDC00 && text.size() - at >= 4;
      const std::uint32_t low = pair ? unit(at + 2) : 0;
      if (low < 0xDC00 || low >= 0xE000) return false;
      c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
      at += 2;
    }
    if (room.size() - length < 4) return false;
    length += put_character(c, room.data() + length);
  }
  return true;
}

}  // namespace overture::archives_detail
