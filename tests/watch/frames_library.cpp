// SPDX-License-Identifier: Zlib
//
// A library that shows frames, by the name of one of SDL's functions.

extern "C" __attribute__((visibility("default"))) long SDL_GL_SwapWindow(long* shown) {
  ++*shown;
  return 0;
}
