// SPDX-License-Identifier: Zlib
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

#include "overture/base/limits.hpp"
#include "start_pack/private_file.hpp"

namespace overture::start_pack {

bool is_private_file(const char* path) noexcept {
  const std::string_view whole(path);
  const std::size_t slash = whole.rfind('/');
  char folder[limits::path_bytes_max + 1];
  if (slash == std::string_view::npos || slash + 1 >= sizeof folder) return false;
  std::memcpy(folder, path, slash + 1);
  folder[slash + 1] = '\0';
  struct stat file{};
  struct stat above{};
  if (::lstat(path, &file) != 0 || ::stat(folder, &above) != 0) return false;
  const uid_t user = ::geteuid();
  return S_ISREG(file.st_mode) && file.st_uid == user && S_ISDIR(above.st_mode) &&
         above.st_uid == user && (above.st_mode & 0077) == 0;
}

}  // namespace overture::start_pack
