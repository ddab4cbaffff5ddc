// SPDX-License-Identifier: Zlib
//
// Stands for SDL in games of tests: counts the pictures that are shown.
#include <cstdlib>

extern "C" __attribute__((visibility("default"))) void SDL_RenderPresent(void* renderer);
void SDL_RenderPresent(void* renderer) {
  if (renderer) std::abort();  // the game has none
}
