// SPDX-License-Identifier: Zlib
#include "base/system/system_text.hpp"

#include <cstring>

namespace overture {

const char* base_detail::error_text(int os_error, std::span<char> room) noexcept {
  return strerror_s(room.data(), room.size(), os_error) == 0 ? room.data() : "";
}

// A colon ends a drive.
std::size_t base_detail::folder_bytes(std::string_view path) noexcept {
  return path.find_last_of("/\\:") + 1;
}

}  // namespace overture
