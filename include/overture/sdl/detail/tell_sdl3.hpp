// SPDX-License-Identifier: Zlib
#pragma once

#include <SDL3/SDL_error.h>

#include "overture/base/error.hpp"
#include "overture/base/path.hpp"
#include "overture/vfs/file_system.hpp"

namespace overture::sdl::detail {

// False, and the sentence is what SDL_GetError() returns.
inline bool tell_sdl3(const file_system& files, const error& failure) noexcept {
  char sentence[512];
  files.explain(failure, sentence);
  return SDL_SetError("%s", sentence);
}
// The same of a file that could not be found or opened, which the error cannot name.
inline bool tell_sdl3(asset_path path, const error& failure) noexcept {
  return SDL_SetError("%.*s: %s", static_cast<int>(path.text.size()), path.text.data(),
                      failure.reason);
}

}  // namespace overture::sdl::detail
