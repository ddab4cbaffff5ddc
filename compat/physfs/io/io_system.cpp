// SPDX-License-Identifier: Zlib
#include "io/io_system.hpp"

namespace physfs {

using overture::errc;
using overture::fail;
using overture::file_status;
using overture::os_handle;
using overture::result;

result<os_handle> io_system::open(const char* path) noexcept {
  (void)path;
  return os_handle{1};
}

result<os_handle> io_system::open_below(os_handle folder, const char* path) noexcept {
  (void)folder, (void)path;
  return fail(errc::not_found, "not a folder");
}

result<file_status> io_system::status(os_handle handle) noexcept {
  (void)handle;
  const std::scoped_lock lock(mutex_);
  const PHYSFS_sint64 length = io_ ? io_->length(io_) : PHYSFS_fileLength(file_);
  if (length < 0) return fail(errc::io, "the length is not known");
  file_status found;
  found.kind = overture::file_kind::file;
  found.size = static_cast<std::uint64_t>(length);
  return found;
}

result<std::size_t> io_system::read_at(os_handle handle, std::uint64_t offset,
                                       std::span<std::byte> bytes) noexcept {
  (void)handle;
  const std::scoped_lock lock(mutex_);
  PHYSFS_sint64 got = -1;
  if (io_) {
    if (io_->seek(io_, offset) != 0) got = io_->read(io_, bytes.data(), bytes.size());
  } else if (PHYSFS_seek(file_, offset) != 0) {
    got = PHYSFS_readBytes(file_, bytes.data(), bytes.size());
  }
  if (got < 0) return fail(errc::io, "cannot read");
  return static_cast<std::size_t>(got);
}

result<file_status> io_system::status(const char* path, bool follow_links) noexcept {
  (void)path, (void)follow_links;
  return status(os_handle{1});
}

result<void> io_system::list(
    const char* path,
    overture::function_ref<void(const overture::folder_entry&) noexcept> visit) noexcept {
  (void)path, (void)visit;
  return fail(errc::not_found, "not a folder");
}

result<std::size_t> io_system::canonical_path(const char* path, std::span<char> text) noexcept {
  (void)path, (void)text;
  return fail(errc::unsupported, "not a path of the system");
}

result<overture::mapping> io_system::map(os_handle handle) noexcept {
  (void)handle;
  return fail(errc::unsupported, "not a file of the system");
}

}  // namespace physfs
