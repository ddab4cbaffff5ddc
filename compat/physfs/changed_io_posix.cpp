// SPDX-License-Identifier: Zlib
//
// A file of the system that an archiver of the host reads and writes.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "lent_io.hpp"
#include "overture/base/error.hpp"

namespace physfs {
namespace {

// Shared by an Io and its copies, which an archiver uses one at a time.
struct changed_file {
  int users = 1;
  int handle = -1;
  bool is_emptied = false;
};

struct changed_io {
  PHYSFS_Io io{};
  changed_file* file = nullptr;
  PHYSFS_uint64 position = 0;
};

changed_io& of(PHYSFS_Io* io) noexcept {
  return *static_cast<changed_io*>(io->opaque);
}

PHYSFS_sint64 failed() noexcept {
  (void)refuse(overture::os_failure(errno, ""));
  return -1;
}

// Calls pread() or pwrite() until all bytes are through.
template <class Call>
PHYSFS_sint64 move(PHYSFS_Io* io, PHYSFS_uint64 bytes, Call call) noexcept {
  PHYSFS_uint64 done = 0;
  while (done < bytes) {
    const ssize_t moved = call(of(io).file->handle, done, static_cast<off_t>(of(io).position));
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0 && done == 0) return failed();
    if (moved <= 0) break;
    done += static_cast<PHYSFS_uint64>(moved);
    of(io).position += static_cast<PHYSFS_uint64>(moved);
  }
  return static_cast<PHYSFS_sint64>(done);
}

PHYSFS_sint64 read(PHYSFS_Io* io, void* to, PHYSFS_uint64 bytes) {
  return move(io, bytes, [&](int handle, PHYSFS_uint64 done, off_t at) {
    return ::pread(handle, static_cast<char*>(to) + done, bytes - done, at);
  });
}

// A PHYSFS_Io cannot shorten its file: archivers expect to write into an empty one.
PHYSFS_sint64 write(PHYSFS_Io* io, const void* from, PHYSFS_uint64 bytes) {
  changed_file& file = *of(io).file;
  if (!file.is_emptied && ::ftruncate(file.handle, 0) != 0) return failed();
  file.is_emptied = true;
  return move(io, bytes, [&](int handle, PHYSFS_uint64 done, off_t at) {
    return ::pwrite(handle, static_cast<const char*>(from) + done, bytes - done, at);
  });
}

int seek(PHYSFS_Io* io, PHYSFS_uint64 position) {
  if (position > INT64_MAX) return refuse(PHYSFS_ERR_INVALID_ARGUMENT);
  of(io).position = position;
  return 1;
}

PHYSFS_sint64 tell(PHYSFS_Io* io) {
  return static_cast<PHYSFS_sint64>(of(io).position);
}

PHYSFS_sint64 length(PHYSFS_Io* io) {
  struct stat found{};
  return ::fstat(of(io).file->handle, &found) == 0 ? found.st_size : failed();
}

int flush(PHYSFS_Io* io) {
  return ::fsync(of(io).file->handle) == 0 || failed() >= 0 ? 1 : 0;
}

void release(changed_file* file) noexcept {
  if (--file->users != 0) return;
  ::close(file->handle);
  destroy(file);
}

void end(PHYSFS_Io* io) {
  release(of(io).file);
  destroy(&of(io));
}

PHYSFS_Io* duplicate(PHYSFS_Io* io);

// Takes over one use of `file`.
PHYSFS_Io* io_of(changed_file* file) noexcept {
  auto* const made = make<changed_io>();
  if (!made) {
    release(file);
    return nullptr;
  }
  made->file = file;
  made->io = {0, made, read, write, seek, tell, length, duplicate, flush, end};
  return &made->io;
}

PHYSFS_Io* duplicate(PHYSFS_Io* io) {
  ++of(io).file->users;
  return io_of(of(io).file);
}

}  // namespace

PHYSFS_Io* io_to_change(const char* path) noexcept {
  auto* const file = make<changed_file>();
  if (!file) return nullptr;
  file->handle = ::open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (file->handle >= 0) return io_of(file);
  (void)failed();
  destroy(file);
  return nullptr;
}

}  // namespace physfs
