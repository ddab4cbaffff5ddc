// SPDX-License-Identifier: Zlib
//
// A file of the system, open to be read and written. Platform by file.
#pragma once

#include <cstdint>

#include "physfs.h"

namespace physfs {

// What fails sets the error.
class changed_file {
 public:
  changed_file() = default;
  ~changed_file();
  changed_file(const changed_file&) = delete;
  changed_file& operator=(const changed_file&) = delete;

  // Opens a file that is there.
  [[nodiscard]] bool open(const char* path) noexcept;
  // So many bytes, fewer at the end of the file or if the rest fails; -1 if all fails.
  [[nodiscard]] PHYSFS_sint64 read_at(PHYSFS_uint64 position, void* to,
                                      PHYSFS_uint64 bytes) noexcept;
  [[nodiscard]] PHYSFS_sint64 write_at(PHYSFS_uint64 position, const void* from,
                                       PHYSFS_uint64 bytes) noexcept;
  [[nodiscard]] bool make_empty() noexcept;
  [[nodiscard]] PHYSFS_sint64 length() noexcept;
  [[nodiscard]] bool sync() noexcept;

 private:
  std::int64_t handle_ = -1;  // a descriptor, or what an overture::os_handle has
};

}  // namespace physfs
