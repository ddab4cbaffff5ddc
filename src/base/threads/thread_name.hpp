// SPDX-License-Identifier: Zlib
//
// Numbered thread names: "worker 12".
#pragma once

#include <charconv>
#include <cstddef>
#include <cstring>

namespace overture::base_detail {

// As long as Linux allows, including the NUL.
using thread_name = char[16];

// Truncates a long name but never the number, which tells the threads apart.
inline void write_thread_name(thread_name& text, const char* name, unsigned number) noexcept {
  char digits[12];
  const auto written = std::to_chars(digits, digits + sizeof digits, number);
  const auto digit_count = static_cast<std::size_t>(written.ptr - digits);
  const std::size_t room = sizeof text - 2 - digit_count;
  std::size_t length = 0;
  while (length < room && name[length] != '\0') ++length;
  std::memcpy(text, name, length);
  text[length] = ' ';
  std::memcpy(text + length + 1, digits, digit_count);
  text[length + 1 + digit_count] = '\0';
}

}  // namespace overture::base_detail
