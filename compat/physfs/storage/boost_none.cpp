// SPDX-License-Identifier: Zlib
//
// Where the command makes no start packs.
#include "storage/boost.hpp"

namespace physfs {

void begin_boost() noexcept {}
void end_boost() noexcept {}

bool is_boosted() noexcept {
  return false;
}

content* boosted(std::string_view path, std::string_view name) noexcept {
  (void)path, (void)name;
  return nullptr;
}

}  // namespace physfs
