/* SPDX-License-Identifier: Zlib */
#pragma once

#include <SDL3/SDL_stdinc.h>

enum SDL_PathType { SDL_PATHTYPE_FILE, SDL_PATHTYPE_DIRECTORY };
struct SDL_PathInfo {
  SDL_PathType type;
  Uint64 size;
  Sint64 modify_time;
};
enum SDL_EnumerationResult { SDL_ENUM_CONTINUE, SDL_ENUM_FAILURE };
using SDL_EnumerateDirectoryCallback = SDL_EnumerationResult (*)(void*, const char*, const char*);
