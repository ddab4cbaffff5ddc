/* SPDX-License-Identifier: Zlib */
#pragma once

#include <SDL3/SDL_filesystem.h>

struct SDL_Storage;
struct SDL_StorageInterface {
  bool (*close)(void*);
  bool (*ready)(void*);
  bool (*enumerate)(void*, const char*, SDL_EnumerateDirectoryCallback, void*);
  bool (*info)(void*, const char*, SDL_PathInfo*);
  bool (*read_file)(void*, const char*, void*, Uint64);
  Uint64 (*space_remaining)(void*);
};
SDL_Storage* SDL_OpenStorage(const SDL_StorageInterface* functions, void* data);
bool SDL_GetStorageFileSize(SDL_Storage* storage, const char* path, Uint64* bytes);
bool SDL_ReadStorageFile(SDL_Storage* storage, const char* path, void* to, Uint64 bytes);
bool SDL_CloseStorage(SDL_Storage* storage);
