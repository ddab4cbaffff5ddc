// SPDX-License-Identifier: Zlib
#include <SDL.h>

#include <algorithm>

extern result<sound_stream>& music;
extern Uint8* to;
extern int bytes_wanted;
