// SPDX-License-Identifier: Zlib
#include "base/system/system_text.hpp"

#include <cstring>

namespace overture {
namespace {

// There are two functions named strerror_r: one returns the text, the other writes it.
[[maybe_unused]] const char* text_of(const char* returned, const char*) {
  return returned;
}
[[maybe_unused]] const char* text_of(int failed, const char* written) {
  return failed == 0 ? written : "";
}

}  // namespace

const char* base_detail::error_text(int os_error, std::span<char> room) noexcept {
  room[0] = '\0';
  return text_of(strerror_r(os_error, room.data(), room.size()), room.data());
}

std::size_t base_detail::folder_bytes(std::string_view path) noexcept {
  return path.rfind('/') + 1;
}

}  // namespace overture
