// SPDX-License-Identifier: Zlib
//
// A file of the system that an archiver of the host reads and writes.
#include <cstdint>

#include "errors.hpp"
#include "io/changed_file.hpp"
#include "io/lent_io.hpp"

namespace physfs {
namespace {

// Shared by an Io and its copies, which an archiver uses one at a time.
struct shared_file {
  int users = 1;
  changed_file file;
  bool is_emptied = false;
};

struct changed_io {
  PHYSFS_Io io{};
  shared_file* shared = nullptr;
  PHYSFS_uint64 position = 0;
};

changed_io& of(PHYSFS_Io* io) noexcept {
  return *static_cast<changed_io*>(io->opaque);
}

PHYSFS_sint64 advance(PHYSFS_Io* io, PHYSFS_sint64 moved) noexcept {
  if (moved > 0) of(io).position += static_cast<PHYSFS_uint64>(moved);
  return moved;
}

PHYSFS_sint64 read(PHYSFS_Io* io, void* to, PHYSFS_uint64 bytes) {
  return advance(io, of(io).shared->file.read_at(of(io).position, to, bytes));
}

// A PHYSFS_Io cannot shorten its file: archivers expect to write into an empty one.
PHYSFS_sint64 write(PHYSFS_Io* io, const void* from, PHYSFS_uint64 bytes) {
  shared_file& shared = *of(io).shared;
  if (!shared.is_emptied && !shared.file.make_empty()) return -1;
  shared.is_emptied = true;
  return advance(io, shared.file.write_at(of(io).position, from, bytes));
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
  return of(io).shared->file.length();
}

int flush(PHYSFS_Io* io) {
  return of(io).shared->file.sync() ? 1 : 0;
}

void release(shared_file* shared) noexcept {
  if (--shared->users == 0) destroy(shared);
}

void end(PHYSFS_Io* io) {
  release(of(io).shared);
  destroy(&of(io));
}

PHYSFS_Io* duplicate(PHYSFS_Io* io);

// Takes over one use of `shared`.
PHYSFS_Io* io_of(shared_file* shared) noexcept {
  auto* const made = make<changed_io>();
  if (!made) {
    release(shared);
    return nullptr;
  }
  made->shared = shared;
  made->io = {0, made, read, write, seek, tell, length, duplicate, flush, end};
  return &made->io;
}

PHYSFS_Io* duplicate(PHYSFS_Io* io) {
  ++of(io).shared->users;
  return io_of(of(io).shared);
}

}  // namespace

PHYSFS_Io* io_to_change(const char* path) noexcept {
  auto* const shared = make<shared_file>();
  if (!shared) return nullptr;
  if (shared->file.open(path)) return io_of(shared);
  destroy(shared);
  return nullptr;
}

}  // namespace physfs
