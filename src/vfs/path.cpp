// SPDX-License-Identifier: Zlib
#include "overture/base/path.hpp"

#include <cstring>

namespace overture {

result<asset_path> normalise(std::string_view path, path_buffer& room) noexcept {
  if (path_flaw(path) == nullptr) return asset_path{path, {hash64(path)}};
  std::size_t length = 0;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view element = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    if (element.empty()) continue;
    const std::size_t separator = length > 0 ? 1 : 0;
    if (element.size() > room.size() - length ||
        separator > room.size() - length - element.size()) {
      return fail(errc::bad_path, detail::path_too_long);
    }
    if (separator != 0) room[length++] = '/';
    std::memcpy(room.data() + length, element.data(), element.size());
    length += element.size();
  }
  const std::string_view normal(room.data(), length);
  if (const char* flaw = path_flaw(normal)) return fail(errc::bad_path, flaw);
  return asset_path{normal, {hash64(normal)}};
}

}  // namespace overture
