// SPDX-License-Identifier: Zlib
//
// A file of the tree as an SDL_RWops, for SDL_image, SDL_mixer, SDL_ttf and everything else that
// reads through SDL 2.
//
//   SDL_RWops* file = overture::sdl::open(files, "music/theme.ogg"_path);
//   if (!file) return report(SDL_GetError());          // a sentence with file and mount
//   Mix_Music* music = Mix_LoadMUS_RW(file, SDL_TRUE);  // reads it in pieces, and closes it
//
// Only this header: include it where SDL is, and link SDL yourself. It is a file_reader
// (overture/vfs/file_reader.hpp), so large files are read while they play, seeking in compressed
// ones costs what is said there, and what passes through as a whole has its checksum verified. A
// file that is wanted at once is read faster by file_system::read_all() and SDL_RWFromConstMem().
//
// What fails says why in SDL_GetError(): a damaged file ends a read early, as the end of the file
// does. Writing is refused. Seeking beyond the end is an error and moves nothing.
//
// Lifetime and threads: as for the file_reader. The file_system must outlive the SDL_RWops; one
// thread at a time may use it.
#pragma once

#include <SDL_error.h>
#include <SDL_rwops.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <span>
#include <utility>

#include "overture/base/error.hpp"
#include "overture/base/path.hpp"
#include "overture/vfs/file_reader.hpp"
#include "overture/vfs/file_system.hpp"

namespace overture::sdl {

namespace detail {

// Lies in the SDL_RWops itself.
struct held_reader {
  file_reader reader;
  const file_system* files;
};
static_assert(sizeof(held_reader) <= sizeof(SDL_RWops::hidden.unknown));

inline held_reader& held(SDL_RWops* self) noexcept {
  return *std::launder(reinterpret_cast<held_reader*>(&self->hidden.unknown));
}

inline int set_error(const file_system& files, const error& failure) noexcept {
  char sentence[512];
  files.explain(failure, sentence);
  return SDL_SetError("%s", sentence);
}

inline Sint64 SDLCALL size(SDL_RWops* self) noexcept {
  return static_cast<Sint64>(held(self).reader.size());
}

inline Sint64 SDLCALL seek(SDL_RWops* self, Sint64 offset, int whence) noexcept {
  const held_reader& at = held(self);
  const auto bytes = static_cast<Sint64>(at.reader.size());
  Sint64 from = 0;
  if (whence == RW_SEEK_CUR) from = static_cast<Sint64>(at.reader.position());
  if (whence == RW_SEEK_END) from = bytes;
  if (offset < -from || offset > bytes - from) {
    return SDL_SetError("a seek to where the file is not");
  }
  if (auto moved = held(self).reader.seek(static_cast<std::uint64_t>(from + offset)); !moved) {
    return set_error(*at.files, moved.error());
  }
  return from + offset;
}

inline std::size_t SDLCALL read(SDL_RWops* self, void* to, std::size_t bytes_each,
                                std::size_t count) noexcept {
  if (bytes_each == 0 || count == 0) return 0;
  if (count > std::numeric_limits<std::size_t>::max() / bytes_each) {
    SDL_SetError("a read of more bytes than memory can have");
    return 0;
  }
  held_reader& at = held(self);
  const auto got = at.reader.read({static_cast<std::byte*>(to), bytes_each * count});
  if (got) return *got / bytes_each;
  set_error(*at.files, got.error());
  return 0;
}

inline std::size_t SDLCALL write(SDL_RWops* /*self*/, const void* /*from*/, std::size_t /*bytes*/,
                                 std::size_t /*count*/) noexcept {
  SDL_SetError("a file of the tree cannot be written through an SDL_RWops");
  return 0;
}

inline int SDLCALL close(SDL_RWops* self) noexcept {
  if (self == nullptr) return 0;
  held(self).~held_reader();
  SDL_FreeRW(self);
  return 0;
}

}  // namespace detail

// Close it with SDL_RWclose(), or let SDL do so. Null if the file cannot be opened, for the reasons
// of file_reader::open(), and without memory. Any thread.
[[nodiscard]] inline SDL_RWops* open(file_system& files, asset_path path,
                                     const file_reader_config& config = {}) noexcept {
  result<file_reader> opened = file_reader::open(files, path, config);
  if (!opened) {
    SDL_SetError("%.*s: %s", static_cast<int>(path.text.size()), path.text.data(),
                 opened.error().reason);
    return nullptr;
  }
  SDL_RWops* const made = SDL_AllocRW();  // sets the error itself
  if (made == nullptr) return nullptr;
  new (&made->hidden.unknown) detail::held_reader{*std::move(opened), &files};
  made->size = detail::size;
  made->seek = detail::seek;
  made->read = detail::read;
  made->write = detail::write;
  made->close = detail::close;
  made->type = SDL_RWOPS_UNKNOWN;
  return made;
}

}  // namespace overture::sdl
