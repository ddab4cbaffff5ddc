// SPDX-License-Identifier: Zlib
#include "base/system/cp932.hpp"

namespace overture {

bool base_detail::decode_cp932(std::string_view, std::span<char>, std::size_t&) noexcept {
  return false;
}

}  // namespace overture
