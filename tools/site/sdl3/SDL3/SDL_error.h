/* SPDX-License-Identifier: Zlib */
#pragma once

#include <SDL3/SDL_stdinc.h>
