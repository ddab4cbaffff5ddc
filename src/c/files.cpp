// SPDX-License-Identifier: Zlib
//
// Reading and writing files of the tree: overture/c/vfs.h.
#include "c/handles.hpp"
#include "overture/c/vfs.h"
#include "overture/vfs/file_reader.hpp"
#include "overture/vfs/file_writer.hpp"

using namespace overture;
using namespace overture::c;

struct overture_file {
  overture_file(overture_files* of, file_reader opened) noexcept
      : files(of), reader(std::move(opened)) {}

  use_of<overture_files> files;
  file_reader reader;
};

namespace {

constexpr const char* no_files = "the files are NULL";
constexpr const char* no_file = "the file is NULL";

// Calls change(path) with the path made normal.
template <class Change>
overture_code with_path(overture_files* files, const char* text, overture_error* error,
                        Change change) noexcept {
  if (files == nullptr) return invalid(error, no_files);
  given_path given;
  const result<asset_path> path = given.read(text);
  if (!path) return failed(error, path.error(), text == nullptr ? "" : text);
  const result<void> changed = change(*path);
  return changed ? fine(error) : failed(error, changed.error(), path->text);
}

}  // namespace

overture_code overture_files_read(overture_files* files, const char* path, overture_bytes** bytes,
                                  overture_error* error) {
  if (bytes == nullptr) return invalid(error, "there is no place for the bytes");
  *bytes = nullptr;
  if (files == nullptr) return invalid(error, no_files);
  given_path given;
  const result<asset_path> normal = given.read(path);
  if (!normal) return failed(error, normal.error(), path == nullptr ? "" : path);
  result<blob> read = files->tree.read_all(*normal, files->buffers.pool());
  if (!read) return failed(error, read.error(), normal->text, files->tree);
  *bytes = make_bytes(*std::move(read), files->buffers);
  return *bytes == nullptr ? out_of_memory(error) : fine(error);
}

overture_code overture_file_open(overture_files* files, const char* path, overture_file** file,
                                 overture_error* error) {
  if (file == nullptr) return invalid(error, "there is no place for the file");
  *file = nullptr;
  if (files == nullptr) return invalid(error, no_files);
  given_path given;
  const result<asset_path> normal = given.read(path);
  if (!normal) return failed(error, normal.error(), path == nullptr ? "" : path);
  result<file_reader> opened = file_reader::open(files->tree, *normal);
  if (!opened) return failed(error, opened.error(), normal->text, files->tree);
  *file = make<overture_file>(files, *std::move(opened));
  return *file == nullptr ? out_of_memory(error) : fine(error);
}

overture_code overture_file_free(overture_file* file, overture_error* error) {
  if (file != nullptr) destroy(file);
  return fine(error);
}

uint64_t overture_file_size(const overture_file* file) {
  return file == nullptr ? 0 : file->reader.size();
}

uint64_t overture_file_position(const overture_file* file) {
  return file == nullptr ? 0 : file->reader.position();
}

overture_code overture_file_seek(overture_file* file, uint64_t position, overture_error* error) {
  if (file == nullptr) return invalid(error, no_file);
  const result<void> moved = file->reader.seek(position);
  return moved ? fine(error) : failed(error, moved.error(), file->files->tree);
}

overture_code overture_file_read(overture_file* file, void* to, size_t room, size_t* got,
                                 overture_error* error) {
  if (got == nullptr) return invalid(error, "there is no place for the count");
  *got = 0;
  if (file == nullptr) return invalid(error, no_file);
  if (to == nullptr && room != 0) return invalid(error, "there is no place for the bytes");
  const result<std::size_t> read = file->reader.read({static_cast<std::byte*>(to), room});
  if (!read) return failed(error, read.error(), file->files->tree);
  *got = *read;
  return fine(error);
}

overture_code overture_files_write(overture_files* files, overture_mount mount, const char* path,
                                   const void* bytes, size_t byte_count, overture_error* error) {
  if (bytes == nullptr && byte_count != 0) return invalid(error, "there are no bytes");
  const std::span<const std::byte> content(static_cast<const std::byte*>(bytes), byte_count);
  return with_path(files, path, error, [&](asset_path where) -> result<void> {
    result<file_writer> writer =
        file_writer::open(files->tree, {mount}, where, write_kind::replace);
    if (!writer) return tl::unexpected(writer.error());
    if (result<void> written = writer->write(content); !written) return written;
    return writer->commit();
  });
}

overture_code overture_files_make_folder(overture_files* files, overture_mount mount,
                                         const char* path, overture_error* error) {
  return with_path(files, path, error,
                   [&](asset_path where) { return files->tree.make_folder({mount}, where); });
}

overture_code overture_files_remove(overture_files* files, overture_mount mount, const char* path,
                                    overture_error* error) {
  return with_path(files, path, error,
                   [&](asset_path where) { return files->tree.remove({mount}, where); });
}
