#include "base/error_text.hpp"

#include <cstring>

namespace overture {

const char* base_detail::error_text(int os_error, std::span<char> room) noexcept {
  return strerror_s(room.data(), room.size(), os_error) == 0 ? room.data() : "";
}

}  // namespace overture
