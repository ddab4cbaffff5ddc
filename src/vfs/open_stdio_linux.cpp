// SPDX-License-Identifier: Zlib
#include <sys/types.h>

#include "overture/vfs/open_stdio.hpp"
#include "vfs/stdio_cookie.hpp"

namespace overture {
namespace {

vfs_detail::stdio_cookie& to_cookie(void* cookie) noexcept {
  return *static_cast<vfs_detail::stdio_cookie*>(cookie);
}

ssize_t read_cookie(void* cookie, char* to, std::size_t bytes) noexcept {
  return to_cookie(cookie).read(to, bytes);
}

// C libraries have different names for a position of 64 bits.
template <class Offset>
int seek_cookie(void* cookie, Offset* position, int whence) noexcept {
  const std::int64_t moved = to_cookie(cookie).seek(*position, whence);
  if (moved < 0) return -1;
  *position = moved;
  return 0;
}

int close_cookie(void* cookie) noexcept {
  to_cookie(cookie).close();
  return 0;
}

}  // namespace

result<std::FILE*> open_stdio(file_system& files, asset_path path,
                              const file_reader_config& config) noexcept {
  const result<vfs_detail::stdio_cookie*> cookie =
      vfs_detail::stdio_cookie::open(files, path, config);
  if (!cookie) return tl::unexpected(cookie.error());
  cookie_io_functions_t functions = {};
  functions.read = read_cookie;
  functions.seek = seek_cookie;
  functions.close = close_cookie;
  std::FILE* const made = fopencookie(*cookie, "rb", functions);
  if (made) return made;
  const error why = os_failure(errno, "cannot make a FILE* of the file");
  (*cookie)->close();
  return tl::unexpected(why);
}

}  // namespace overture
