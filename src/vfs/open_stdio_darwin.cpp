// SPDX-License-Identifier: Zlib
//
// macOS and the BSDs.

#include "overture/vfs/open_stdio.hpp"
#include "vfs/stdio_cookie.hpp"

namespace overture {
namespace {

vfs_detail::stdio_cookie& to_cookie(void* cookie) noexcept {
  return *static_cast<vfs_detail::stdio_cookie*>(cookie);
}

int read_cookie(void* cookie, char* to, int bytes) noexcept {
  return static_cast<int>(to_cookie(cookie).read(to, static_cast<std::size_t>(bytes)));
}

std::fpos_t seek_cookie(void* cookie, std::fpos_t offset, int whence) noexcept {
  return to_cookie(cookie).seek(offset, whence);
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
  std::FILE* const made = funopen(*cookie, read_cookie, nullptr, seek_cookie, close_cookie);
  if (made) return made;
  const error why = os_failure(errno, "cannot make a FILE* of the file");
  (*cookie)->close();
  return tl::unexpected(why);
}

}  // namespace overture
