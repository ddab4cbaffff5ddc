// SPDX-License-Identifier: Zlib
//
// Open files.
#include "errors.hpp"
#include "files/open_file.hpp"
#include "files/write_folder.hpp"

using physfs::open_file;

namespace {

constexpr PHYSFS_uint64 bytes_max = INT64_MAX;

// In whole objects, as the older functions count.
PHYSFS_sint64 in_objects(PHYSFS_sint64 bytes, PHYSFS_uint32 object_bytes) {
  return bytes <= 0 ? bytes : bytes / static_cast<PHYSFS_sint64>(object_bytes);
}

PHYSFS_sint64 refuse_count(PHYSFS_ErrorCode code) {
  physfs::set_error(code);
  return -1;
}

}  // namespace

PHYSFS_File* PHYSFS_openRead(const char* path) {
  physfs::clean_name name;
  if (!name.clean(path)) return nullptr;
  const physfs::reading mounts;
  if (!mounts) return nullptr;
  physfs::mount* from = nullptr;
  physfs::content* const opened = physfs::open_content(mounts, name, from);
  return opened ? open_file::to_read(opened, *from) : nullptr;
}

PHYSFS_File* PHYSFS_openWrite(const char* path) {
  return physfs::write_folder_open(path, false);
}

PHYSFS_File* PHYSFS_openAppend(const char* path) {
  return physfs::write_folder_open(path, true);
}

int PHYSFS_close(PHYSFS_File* file) {
  open_file* const opened = open_file::of(file);
  return opened && opened->close() ? 1 : 0;
}

PHYSFS_sint64 PHYSFS_readBytes(PHYSFS_File* file, void* to, PHYSFS_uint64 bytes) {
  open_file* const opened = open_file::of(file);
  if (!opened) return -1;
  if (bytes > bytes_max || (!to && bytes > 0)) return refuse_count(PHYSFS_ERR_INVALID_ARGUMENT);
  return opened->read(to, bytes);
}

PHYSFS_sint64 PHYSFS_writeBytes(PHYSFS_File* file, const void* from, PHYSFS_uint64 bytes) {
  open_file* const opened = open_file::of(file);
  if (!opened) return -1;
  if (bytes > bytes_max || (!from && bytes > 0)) return refuse_count(PHYSFS_ERR_INVALID_ARGUMENT);
  return opened->write(from, bytes);
}

PHYSFS_sint64 PHYSFS_read(PHYSFS_File* file, void* to, PHYSFS_uint32 object_bytes,
                          PHYSFS_uint32 count) {
  return in_objects(PHYSFS_readBytes(file, to, PHYSFS_uint64{object_bytes} * count), object_bytes);
}

PHYSFS_sint64 PHYSFS_write(PHYSFS_File* file, const void* from, PHYSFS_uint32 object_bytes,
                           PHYSFS_uint32 count) {
  return in_objects(PHYSFS_writeBytes(file, from, PHYSFS_uint64{object_bytes} * count),
                    object_bytes);
}

int PHYSFS_eof(PHYSFS_File* file) {
  open_file* const opened = open_file::of(file);
  return opened && opened->at_end() ? 1 : 0;
}

PHYSFS_sint64 PHYSFS_tell(PHYSFS_File* file) {
  const open_file* const opened = open_file::of(file);
  return opened ? static_cast<PHYSFS_sint64>(opened->tell()) : -1;
}

int PHYSFS_seek(PHYSFS_File* file, PHYSFS_uint64 position) {
  open_file* const opened = open_file::of(file);
  return opened && opened->seek(position) ? 1 : 0;
}

PHYSFS_sint64 PHYSFS_fileLength(PHYSFS_File* file) {
  open_file* const opened = open_file::of(file);
  return opened ? opened->length() : -1;
}

int PHYSFS_setBuffer(PHYSFS_File* file, PHYSFS_uint64 bytes) {
  open_file* const opened = open_file::of(file);
  return opened && opened->set_buffer(bytes) ? 1 : 0;
}

int PHYSFS_flush(PHYSFS_File* file) {
  open_file* const opened = open_file::of(file);
  return opened && opened->flush() ? 1 : 0;
}
