// SPDX-License-Identifier: Zlib
//
// A file of the tree as an SDL_IOStream, for SDL_image, SDL_mixer, SDL_ttf and everything else that
// reads through SDL 3. For SDL 2 see overture/sdl/rwops.hpp.
//
//   SDL_IOStream* file = overture::sdl::open_io(files, "music/theme.ogg"_path);
//   if (!file) return report(SDL_GetError());           // a sentence with file and mount
//   MIX_Audio* music = MIX_LoadAudio_IO(mixer, file, false, true);  // reads it, and closes it
//
// Only this header: include it where SDL is, and link SDL yourself. It is a file_reader
// (overture/vfs/file_reader.hpp), so large files are read while they play, seeking in compressed
// ones costs what is said there, and what passes through as a whole has its checksum verified. A
// file that is wanted at once is read faster by file_system::read_all() and SDL_IOFromConstMem().
//
// What fails says why in SDL_GetError(), and SDL_GetIOStatus() is SDL_IO_STATUS_ERROR: a damaged
// file ends a read early, as the end of the file does. Writing is refused. Seeking beyond the end
// is an error and moves nothing.
//
// Lifetime and threads: as for the file_reader. The file_system must outlive the SDL_IOStream; one
// thread at a time may use it.
#pragma once

#include <SDL3/SDL_error.h>
#include <SDL3/SDL_iostream.h>
#include <SDL3/SDL_stdinc.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "overture/base/error.hpp"
#include "overture/base/path.hpp"
#include "overture/sdl/detail/tell_sdl3.hpp"
#include "overture/vfs/file_reader.hpp"
#include "overture/vfs/file_system.hpp"

namespace overture::sdl {

namespace detail {

// What an SDL_IOStream calls.
struct io_file {
  file_reader reader;
  const file_system* files;

  [[nodiscard]] static io_file& of(void* data) noexcept { return *static_cast<io_file*>(data); }

  static Sint64 SDLCALL size(void* data) noexcept {
    return static_cast<Sint64>(of(data).reader.size());
  }
  static Sint64 SDLCALL seek(void* data, Sint64 offset, SDL_IOWhence whence) noexcept {
    file_reader& reader = of(data).reader;
    const auto bytes = static_cast<Sint64>(reader.size());
    Sint64 from = 0;
    if (whence == SDL_IO_SEEK_CUR) from = static_cast<Sint64>(reader.position());
    if (whence == SDL_IO_SEEK_END) from = bytes;
    if (offset >= -from && offset <= bytes - from &&
        reader.seek(static_cast<std::uint64_t>(from + offset))) {
      return from + offset;
    }
    SDL_SetError("a seek to where the file is not");
    return -1;
  }
  static std::size_t SDLCALL read(void* data, void* to, std::size_t bytes,
                                  SDL_IOStatus* status) noexcept {
    io_file& at = of(data);
    const result<std::size_t> got = at.reader.read({static_cast<std::byte*>(to), bytes});
    if (got) {
      if (*got < bytes) *status = SDL_IO_STATUS_EOF;
      return *got;
    }
    tell_sdl3(*at.files, got.error());
    *status = SDL_IO_STATUS_ERROR;
    return 0;
  }
  static bool SDLCALL close(void* data) noexcept {
    of(data).~io_file();
    SDL_free(data);
    return true;
  }
};

}  // namespace detail

// Close it with SDL_CloseIO(), or let SDL do so. Null if the file cannot be opened, for the reasons
// of file_reader::open(), and without memory. Any thread.
[[nodiscard]] inline SDL_IOStream* open_io(file_system& files, asset_path path,
                                           const file_reader_config& config = {}) noexcept {
  result<file_reader> opened = file_reader::open(files, path, config);
  if (!opened) {
    detail::tell_sdl3(path, opened.error());
    return nullptr;
  }
  void* const room = SDL_malloc(sizeof(detail::io_file));  // sets the error itself
  if (room == nullptr) return nullptr;
  auto* const data = new (room) detail::io_file{*std::move(opened), &files};
  SDL_IOStreamInterface functions;
  SDL_INIT_INTERFACE(&functions);
  functions.size = detail::io_file::size;
  functions.seek = detail::io_file::seek;
  functions.read = detail::io_file::read;
  functions.close = detail::io_file::close;
  SDL_IOStream* const made = SDL_OpenIO(&functions, data);
  if (made == nullptr) detail::io_file::close(data);
  return made;
}

}  // namespace overture::sdl
