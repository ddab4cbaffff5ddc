// SPDX-License-Identifier: Zlib
//
// The tree as an SDL_Storage of SDL 3: for games that read their data through SDL's title storage.
//
//   SDL_Storage* title = overture::sdl::open_storage(files);  // in place of SDL_OpenTitleStorage()
//   Uint64 bytes = 0;
//   SDL_GetStorageFileSize(title, "maps/rome.txt", &bytes);
//   SDL_ReadStorageFile(title, "maps/rome.txt", room.data(), bytes);
//   SDL_CloseStorage(title);
//
// Only this header: include it where SDL is, and link SDL yourself. SDL_EnumerateStorageDirectory()
// and SDL_GlobStorageDirectory() list what file_system::enumerate() does, in byte order. It is
// ready at once. It is read-only: what writes fails, and there is no space remaining.
//
// SDL reads files of a storage as a whole, on the calling thread. A read of all of a file verifies
// its checksum. To play music from a file, see overture/sdl/iostream.hpp; to load everything at
// once, on every core, a load_scope (overture/load/load_scope.hpp).
//
// What fails says why in SDL_GetError().
//
// Lifetime and threads: the file_system must outlive the SDL_Storage. Any thread may use it, also
// while others mount and unmount.
#pragma once

#include <SDL3/SDL_error.h>
#include <SDL3/SDL_filesystem.h>
#include <SDL3/SDL_stdinc.h>
#include <SDL3/SDL_storage.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "overture/base/error.hpp"
#include "overture/base/limits.hpp"
#include "overture/base/path.hpp"
#include "overture/sdl/detail/tell_sdl3.hpp"
#include "overture/vfs/file_reader.hpp"
#include "overture/vfs/file_system.hpp"

namespace overture::sdl {

namespace detail {

// What an SDL_Storage calls. Its data is the file_system.
struct title_storage {
  [[nodiscard]] static file_system& of(void* data) noexcept {
    return *static_cast<file_system*>(data);
  }

  static bool SDLCALL close(void* /*data*/) noexcept { return true; }
  static bool SDLCALL ready(void* /*data*/) noexcept { return true; }
  static Uint64 SDLCALL space_remaining(void* /*data*/) noexcept { return 0; }

  static bool SDLCALL info(void* data, const char* name, SDL_PathInfo* to) noexcept {
    path_buffer room;
    const result<asset_path> path = normalise(name, room);
    if (!path) return tell_sdl3({name, {}}, path.error());
    const result<file_stat> found = of(data).stat(*path);
    if (!found) return tell_sdl3(*path, found.error());
    *to = {};
    to->type = found->kind == entry_kind::folder ? SDL_PATHTYPE_DIRECTORY : SDL_PATHTYPE_FILE;
    to->size = found->bytes;
    to->modify_time = found->mtime_ns;
    return true;
  }

  static bool SDLCALL read_file(void* data, const char* name, void* to, Uint64 bytes) noexcept {
    path_buffer room;
    const result<asset_path> path = normalise(name, room);
    if (!path) return tell_sdl3({name, {}}, path.error());
    result<opened_file> file = of(data).open_any_size(*path);
    if (!file) return tell_sdl3(*path, file.error());
    // A deflated file is unpacked straight to its destination, others as a whole.
    const bool in_pieces = file->place().method == compression::deflate;
    const file_reader_config config{.buffer_bytes = 0,
                                    .unpacked_bytes_max = in_pieces ? 0 : limits::entry_bytes_max};
    result<file_reader> reader = file_reader::open(of(data), *std::move(file), config);
    if (!reader) return tell_sdl3(of(data), reader.error());
    const result<void> done =
        reader->read_all_of({static_cast<std::byte*>(to), static_cast<std::size_t>(bytes)});
    return done ? true : tell_sdl3(of(data), done.error());
  }

  static bool SDLCALL enumerate(void* data, const char* name,
                                SDL_EnumerateDirectoryCallback callback, void* context) noexcept {
    path_buffer room;
    const result<asset_path> path = normalise(name, room);
    if (!path) return tell_sdl3({name, {}}, path.error());
    char folder[limits::path_bytes_max + 2];  // ends in '/'; the root is ""
    char* const end = std::copy(path->text.begin(), path->text.end(), folder);
    end[0] = path->text.empty() ? '\0' : '/';
    end[1] = '\0';
    SDL_EnumerationResult asked = SDL_ENUM_CONTINUE;
    const result<void> listed = of(data).enumerate(*path, [&](const folder_item& item) {
      char file[limits::path_element_bytes_max + 1];
      *std::copy(item.name.begin(), item.name.end(), file) = '\0';
      asked = callback(context, folder, file);
      return asked == SDL_ENUM_CONTINUE;
    });
    if (!listed) return tell_sdl3(*path, listed.error());
    return asked != SDL_ENUM_FAILURE;
  }
};

}  // namespace detail

// Close it with SDL_CloseStorage(). Null without memory. Any thread.
[[nodiscard]] inline SDL_Storage* open_storage(file_system& files) noexcept {
  SDL_StorageInterface functions;
  SDL_INIT_INTERFACE(&functions);
  functions.close = detail::title_storage::close;
  functions.ready = detail::title_storage::ready;
  functions.enumerate = detail::title_storage::enumerate;
  functions.info = detail::title_storage::info;
  functions.read_file = detail::title_storage::read_file;
  functions.space_remaining = detail::title_storage::space_remaining;
  return SDL_OpenStorage(&functions, &files);
}

}  // namespace overture::sdl
