// SPDX-License-Identifier: Zlib
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "errors.hpp"
#include "io/changed_file.hpp"
#include "overture/base/error.hpp"

namespace physfs {
namespace {

int descriptor_of(std::int64_t handle) noexcept {
  return static_cast<int>(handle);
}

bool failed() noexcept {
  return refuse(overture::os_failure(errno, ""));
}

// Calls pread() or pwrite() until all bytes are through.
template <class Call>
PHYSFS_sint64 move(PHYSFS_uint64 bytes, Call call) noexcept {
  PHYSFS_uint64 done = 0;
  while (done < bytes) {
    const ssize_t moved = call(done);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0 && done == 0) return failed(), -1;
    if (moved <= 0) break;
    done += static_cast<PHYSFS_uint64>(moved);
  }
  return static_cast<PHYSFS_sint64>(done);
}

}  // namespace

changed_file::~changed_file() {
  if (handle_ >= 0) ::close(descriptor_of(handle_));
}

bool changed_file::open(const char* path) noexcept {
  handle_ = ::open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  return handle_ >= 0 || failed();
}

PHYSFS_sint64 changed_file::read_at(PHYSFS_uint64 position, void* to,
                                    PHYSFS_uint64 bytes) noexcept {
  return move(bytes, [&](PHYSFS_uint64 done) {
    return ::pread(descriptor_of(handle_), static_cast<char*>(to) + done, bytes - done,
                   static_cast<off_t>(position + done));
  });
}

PHYSFS_sint64 changed_file::write_at(PHYSFS_uint64 position, const void* from,
                                     PHYSFS_uint64 bytes) noexcept {
  return move(bytes, [&](PHYSFS_uint64 done) {
    return ::pwrite(descriptor_of(handle_), static_cast<const char*>(from) + done, bytes - done,
                    static_cast<off_t>(position + done));
  });
}

bool changed_file::make_empty() noexcept {
  return ::ftruncate(descriptor_of(handle_), 0) == 0 || failed();
}

PHYSFS_sint64 changed_file::length() noexcept {
  struct stat found{};
  if (::fstat(descriptor_of(handle_), &found) == 0) return found.st_size;
  return failed(), -1;
}

bool changed_file::sync() noexcept {
  return ::fsync(descriptor_of(handle_)) == 0 || failed();
}

}  // namespace physfs
