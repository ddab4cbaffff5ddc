/* SPDX-License-Identifier: Zlib */
//
// Stands for SDL 3 where the documentation is read: Debian 12 has only SDL 2, and no source can
// include both. What overture/sdl uses of SDL 3 and SDL 2 does not have, with the same meaning.
#pragma once

#include <SDL_error.h>
#include <SDL_stdinc.h>

#define SDL_INIT_INTERFACE(functions) (*(functions) = {})
