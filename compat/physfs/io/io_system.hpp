// SPDX-License-Identifier: Zlib
//
// One file, read through a PHYSFS_Io or a handle of the host, as an operating system for a mount.
// Whatever the path, it is that file. Calls are made one at a time.
#pragma once

#include <mutex>

#include "overture/base/os.hpp"
#include "physfs.h"

namespace physfs {

class io_system final : public overture::operating_system {
 public:
  // Both may be null: then there is no file.
  io_system(PHYSFS_Io* io, PHYSFS_File* file) noexcept : io_(io), file_(file) {}

  overture::result<overture::os_handle> open(const char* path) noexcept override;
  overture::result<overture::os_handle> open_below(overture::os_handle folder,
                                                   const char* path) noexcept override;
  void close(overture::os_handle handle) noexcept override { (void)handle; }
  overture::result<overture::file_status> status(overture::os_handle handle) noexcept override;
  overture::result<std::size_t> read_at(overture::os_handle handle, std::uint64_t offset,
                                        std::span<std::byte> bytes) noexcept override;
  overture::result<overture::file_status> status(const char* path,
                                                 bool follow_links) noexcept override;
  overture::result<void> list(
      const char* path,
      overture::function_ref<void(const overture::folder_entry&) noexcept> visit) noexcept override;
  overture::result<std::size_t> canonical_path(const char* path,
                                               std::span<char> text) noexcept override;
  overture::result<overture::mapping> map(overture::os_handle handle) noexcept override;
  void unmap(overture::mapping memory) noexcept override { (void)memory; }

 private:
  std::mutex mutex_;
  PHYSFS_Io* io_;
  PHYSFS_File* file_;
};

}  // namespace physfs
