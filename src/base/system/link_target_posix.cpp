// SPDX-License-Identifier: Zlib
#include <unistd.h>

#include "base/system/link_target.hpp"

namespace overture {

std::size_t base_detail::link_target(const char* path, std::span<char> text) noexcept {
  const ssize_t bytes = ::readlink(path, text.data(), text.size());
  if (bytes <= 0 || static_cast<std::size_t>(bytes) >= text.size()) return 0;
  text[static_cast<std::size_t>(bytes)] = '\0';
  return static_cast<std::size_t>(bytes);
}

}  // namespace overture
