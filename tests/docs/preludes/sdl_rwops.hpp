// SPDX-License-Identifier: Zlib
struct Mix_Music;
Mix_Music* Mix_LoadMUS_RW(SDL_RWops* file, int close);
