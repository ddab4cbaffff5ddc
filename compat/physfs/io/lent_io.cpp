// SPDX-License-Identifier: Zlib
#include "io/lent_io.hpp"

#include <algorithm>
#include <mutex>

#include "overture/base/atomic.hpp"
#include "overture/base/os.hpp"

namespace physfs {
namespace {

// Shared by an Io and its copies.
struct shared_file {
  overture::atomic<int> users{1};
  overture::os_handle handle{};
  loan lent{};
  std::mutex moving;  // the position of lent.file
};

struct reading_io {
  PHYSFS_Io io{};
  shared_file* file = nullptr;
  std::uint64_t position = 0;
};

reading_io& of(PHYSFS_Io* io) noexcept {
  return *static_cast<reading_io*>(io->opaque);
}

PHYSFS_sint64 length(PHYSFS_Io* io) {
  shared_file& file = *of(io).file;
  if (file.lent.bytes) return static_cast<PHYSFS_sint64>(file.lent.size);
  if (file.lent.file) return PHYSFS_fileLength(file.lent.file);
  const auto found = overture::system_os().status(file.handle);
  if (found) return static_cast<PHYSFS_sint64>(found->size);
  set_error(code_of(found.error()));
  return -1;
}

PHYSFS_sint64 read_file(shared_file& file, std::uint64_t position, void* to, std::size_t bytes) {
  if (file.lent.bytes) {
    if (position >= file.lent.size) return 0;
    const std::size_t count = std::min<std::size_t>(bytes, file.lent.size - position);
    std::memcpy(to, static_cast<const char*>(file.lent.bytes) + position, count);
    return static_cast<PHYSFS_sint64>(count);
  }
  if (file.lent.file) {
    const std::scoped_lock lock(file.moving);
    return PHYSFS_seek(file.lent.file, position) != 0 ? PHYSFS_readBytes(file.lent.file, to, bytes)
                                                      : -1;
  }
  const auto got =
      overture::system_os().read_at(file.handle, position, {static_cast<std::byte*>(to), bytes});
  if (got) return static_cast<PHYSFS_sint64>(*got);
  set_error(code_of(got.error()));
  return -1;
}

PHYSFS_sint64 read(PHYSFS_Io* io, void* to, PHYSFS_uint64 bytes) {
  std::uint64_t done = 0;
  while (done < bytes) {
    const PHYSFS_sint64 got =
        read_file(*of(io).file, of(io).position, static_cast<char*>(to) + done, bytes - done);
    if (got < 0 && done == 0) return -1;
    if (got <= 0) break;
    done += static_cast<std::uint64_t>(got);
    of(io).position += static_cast<std::uint64_t>(got);
  }
  return static_cast<PHYSFS_sint64>(done);
}

int seek(PHYSFS_Io* io, PHYSFS_uint64 position) {
  of(io).position = position;
  return 1;
}

PHYSFS_sint64 tell(PHYSFS_Io* io) {
  return static_cast<PHYSFS_sint64>(of(io).position);
}

PHYSFS_sint64 refuse_write(PHYSFS_Io* io, const void* from, PHYSFS_uint64 bytes) {
  (void)io, (void)from, (void)bytes;
  set_error(PHYSFS_ERR_OPEN_FOR_READING);
  return -1;
}

void release(shared_file* file) {
  if (file->users.fetch_sub(1) != 1) return;
  if (file->handle.valid()) overture::system_os().close(file->handle);
  if (file->lent.file) (void)PHYSFS_close(file->lent.file);
  if (file->lent.bytes && file->lent.release) {
    file->lent.release(const_cast<void*>(file->lent.bytes));
  }
  destroy(file);
}

PHYSFS_Io* new_io(shared_file* file) noexcept;

PHYSFS_Io* duplicate(PHYSFS_Io* io) {
  of(io).file->users.fetch_add(1);
  return new_io(of(io).file);
}

void end(PHYSFS_Io* io) {
  reading_io* const ended = &of(io);
  release(ended->file);
  destroy(ended);
}

// Takes over one use of `file`.
PHYSFS_Io* new_io(shared_file* file) noexcept {
  auto* const made = make<reading_io>();
  if (!made) {
    release(file);
    return nullptr;
  }
  made->file = file;
  made->io = {
      0,  made, read, refuse_write, seek, tell, length, duplicate, [](PHYSFS_Io*) { return 1; },
      end};
  return &made->io;
}

}  // namespace

PHYSFS_Io* io_for(const char* path, const loan& lent) noexcept {
  if (lent.io) return lent.io;
  auto* const file = make<shared_file>();
  if (!file) return nullptr;
  if (!lent.bytes && !lent.file) {
    const auto opened = overture::system_os().open(path);
    if (!opened) {
      set_error(code_of(opened.error()));
      destroy(file);
      return nullptr;
    }
    file->handle = *opened;
  }
  file->lent = lent;
  return new_io(file);
}

void give_back_io(PHYSFS_Io* io, const loan& lent) noexcept {
  if (io == lent.io) return;
  of(io).file->lent = {};
  end(io);
}

}  // namespace physfs
