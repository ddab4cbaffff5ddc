/* SPDX-License-Identifier: Zlib */
#pragma once

#include <SDL3/SDL_stdinc.h>

struct SDL_IOStream;
enum SDL_IOStatus { SDL_IO_STATUS_EOF, SDL_IO_STATUS_ERROR };
enum SDL_IOWhence { SDL_IO_SEEK_CUR, SDL_IO_SEEK_END };
struct SDL_IOStreamInterface {
  Sint64 (*size)(void*);
  Sint64 (*seek)(void*, Sint64, SDL_IOWhence);
  std::size_t (*read)(void*, void*, std::size_t, SDL_IOStatus*);
  bool (*close)(void*);
};
SDL_IOStream* SDL_OpenIO(const SDL_IOStreamInterface* functions, void* data);
