// SPDX-License-Identifier: Zlib
//
// By iconv(), which takes memory of its own: C libraries have the tables.
#include <iconv.h>

#include <cstdint>

#include "base/system/cp932.hpp"

namespace overture {

bool base_detail::decode_cp932(std::string_view text, std::span<char> room,
                               std::size_t& length) noexcept {
  const iconv_t converter = iconv_open("UTF-8", "CP932");
  if (reinterpret_cast<std::intptr_t>(converter) == -1) return false;
  char* from = const_cast<char*>(text.data());  // iconv() only reads it
  std::size_t from_left = text.size();
  char* to = room.data();
  std::size_t to_left = room.size();
  const bool whole = iconv(converter, &from, &from_left, &to, &to_left) != SIZE_MAX;
  length = room.size() - to_left;
  (void)iconv_close(converter);
  return whole;
}

}  // namespace overture
